-- Several levels in one release: ROLLUP, CUBE, GROUPING SETS, UNION ALL, PIVOT.
-- answers: wards and their total
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward);
-- answers: wards within kinds with sub-totals
SELECT kind, ward, COUNT(*) AS n FROM visits GROUP BY ROLLUP (kind, ward) ORDER BY kind, ward;
-- answers: every margin
SELECT kind, ward, COUNT(*) AS n, SUM(cost) AS cost FROM visits GROUP BY CUBE (kind, ward);
-- answers: two margins
SELECT kind, ward, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS ((kind), (ward), ());
-- answers: which level a line is of
SELECT kind, ward, GROUPING(kind) AS g, COUNT(*) AS n FROM visits GROUP BY ROLLUP (kind, ward);
-- answers: means at every level
SELECT sex, AVG(income) AS income FROM patients GROUP BY ROLLUP (sex);
-- answers: adults and children one below the other
SELECT 'adults' AS who, COUNT(*) AS n FROM patients WHERE age >= 18 UNION ALL SELECT 'children' AS who, COUNT(*) AS n FROM patients WHERE age < 18;
-- answers: wards and then all of them
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward UNION ALL SELECT 'all' AS ward, COUNT(*) AS n FROM visits;
-- answers: indicators one below the other
SELECT 'visits' AS what, COUNT(*) AS n FROM visits UNION ALL SELECT 'dear visits', COUNT(*) FROM visits WHERE cost > 1000 UNION ALL SELECT 'long stays', COUNT(*) FROM visits WHERE stay > 7;
-- answers: kinds as columns
PIVOT visits ON kind USING COUNT(*) GROUP BY ward;
-- answers: kinds as columns with a sum
PIVOT visits ON kind IN ('inpatient', 'emergency') USING SUM(cost) GROUP BY ward;
-- answers: a standard PIVOT
SELECT * FROM (SELECT ward, kind, cost FROM visits) PIVOT (SUM(cost) FOR kind IN ('inpatient', 'outpatient')) ORDER BY ward;
-- answers: rollup by the old spelling
SELECT kind, ward, COUNT(*) AS n FROM visits GROUP BY kind, ward WITH ROLLUP;
-- answers: sub-totals as a share of the total
SELECT kind, COUNT(*) AS n FROM visits GROUP BY ROLLUP (kind) ORDER BY n DESC;
-- refused: persons in several groups do not add up
-- instead: SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ROLLUP (ward)
SELECT ward, COUNT(DISTINCT patient_id) AS patients FROM visits GROUP BY ROLLUP (ward);
-- refused: medians of groups do not add up
-- instead: SELECT ward, AVG(cost) AS cost FROM visits GROUP BY CUBE (ward)
SELECT ward, MEDIAN(cost) AS cost FROM visits GROUP BY CUBE (ward);
-- answers: a pivot with two numbers
PIVOT visits ON kind IN ('inpatient', 'emergency') USING AVG(cost) AS mean, COUNT(*) AS n GROUP BY ward;
-- answers: months side by side
PIVOT visits ON MONTH(day) USING COUNT(*) GROUP BY ward;
-- answers: a pivot of some rows, filtered by what is released
SELECT ward, inpatient FROM (SELECT ward, kind, cost FROM visits WHERE stay > 2) PIVOT (COUNT(cost) FOR kind IN ('inpatient', 'emergency')) AS p WHERE inpatient > 10 ORDER BY ward;
-- answers: a pivot without the word
SELECT ward, SUM(n) FILTER (WHERE kind = 'inpatient') AS inpatient, SUM(n) FILTER (WHERE kind = 'emergency') AS emergency FROM (SELECT ward, kind, COUNT(*) AS n FROM visits GROUP BY ward, kind) AS cells GROUP BY ward;
-- refused: a pivot of single rows
-- instead: PIVOT visits ON kind USING COUNT(*) GROUP BY ward
PIVOT visits ON kind USING COUNT(*);
-- answers: patients side by side
PIVOT visits ON kind USING COUNT(DISTINCT patient_id) GROUP BY ward;
