-- Keys whose values follow from declared facts.
-- answers: bins of reals
SELECT BIN(income, 50000) AS income, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: bins of reals by FLOOR
SELECT FLOOR(income / 50000) * 50000 AS income, COUNT(*) AS n FROM patients GROUP BY 1 ORDER BY 1;
-- answers: bins by whole division
SELECT age // 10 AS decade, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: rounded to thousands
SELECT ROUND(income / 100000) AS hundred_thousands, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: hours of one day
SELECT DATE_TRUNC('hour', at) AS hour, COUNT(*) AS n FROM visits GROUP BY 1 LIMIT 5;
-- answers: months of one year
SELECT MONTH(joined) AS m, COUNT(*) AS n FROM patients WHERE YEAR(joined) = 2021 GROUP BY 1;
-- answers: regions and their towns are not crossed
SELECT t.region, p.city, COUNT(*) AS n FROM patients p JOIN towns t ON p.city = t.city GROUP BY t.region, p.city;
-- answers: a choice of a choice
SELECT CASE ward WHEN 'cardiology' THEN 'heart' ELSE 'other' END AS area, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: buckets
SELECT WIDTH_BUCKET(cost, 0, 5000, 10) AS bucket, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: keys from a wide range of days
SELECT DATE_TRUNC('year', born) AS born, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: coalesced choices
SELECT COALESCE(ward, 'unknown') AS ward, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: two conditions
SELECT age >= 65 AS old, income > 30000 AS rich, COUNT(*) AS n FROM patients GROUP BY 1, 2;
