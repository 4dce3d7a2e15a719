-- Arithmetic on released groups: windows, outer SELECTs, QUALIFY. All of it is free post-processing.
-- answers: share of the total
SELECT ward, COUNT(*) AS n, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS percent FROM visits GROUP BY ward;
-- answers: share of the total, over an alias in a sub-query
SELECT ward, n, n * 1.0 / SUM(n) OVER () AS share FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS t ORDER BY share DESC;
-- answers: share within each ward
SELECT ward, kind, COUNT(*) AS n, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY ward) AS share FROM visits GROUP BY ward, kind;
-- answers: rank of wards
SELECT ward, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM visits GROUP BY ward;
-- answers: dense rank and row number
SELECT ward, COUNT(*) AS n, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS d, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) AS r FROM visits GROUP BY ward;
-- answers: rank within each kind
SELECT kind, ward, COUNT(*) AS n, RANK() OVER (PARTITION BY kind ORDER BY COUNT(*) DESC) AS place FROM visits GROUP BY kind, ward;
-- answers: the leading ward of each kind
SELECT kind, ward, COUNT(*) AS n FROM visits GROUP BY kind, ward QUALIFY ROW_NUMBER() OVER (PARTITION BY kind ORDER BY COUNT(*) DESC) = 1;
-- answers: the first three wards by an alias of a window
SELECT ward, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM visits GROUP BY ward QUALIFY place <= 2;
-- answers: running total by month
SELECT month(day) AS m, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY month(day)) AS so_far FROM visits GROUP BY month(day) ORDER BY m;
-- answers: running total with an explicit frame
SELECT m, n, SUM(n) OVER (ORDER BY m ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far FROM (SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY 1) ORDER BY m;
-- answers: moving average of three months
SELECT m, AVG(n) OVER (ORDER BY m ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS smooth FROM (SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY 1) ORDER BY m;
-- answers: centred moving average
WITH monthly AS (SELECT month(day) AS m, SUM(cost) AS cost FROM visits GROUP BY 1) SELECT m, cost, AVG(cost) OVER (ORDER BY m ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smooth FROM monthly;
-- answers: growth to the month before
WITH monthly AS (SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY 1) SELECT m, n, n - LAG(n) OVER (ORDER BY m) AS change, n * 1.0 / LAG(n) OVER (ORDER BY m) - 1 AS growth FROM monthly ORDER BY m;
-- answers: the next quarter beside each
SELECT q, n, LEAD(n, 1) OVER (ORDER BY q) AS next FROM (SELECT quarter(day) AS q, COUNT(*) AS n FROM visits GROUP BY 1) ORDER BY q;
-- answers: difference to the first month
SELECT m, n - FIRST_VALUE(n) OVER (ORDER BY m) AS since_january FROM (SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY 1);
-- answers: the largest ward beside each
SELECT ward, n, MAX(n) OVER () AS largest, n >= MAX(n) OVER () AS is_largest FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward);
-- answers: outer WHERE over groups
SELECT * FROM (SELECT ward, kind, COUNT(*) AS n FROM visits GROUP BY ward, kind) WHERE n > 10 ORDER BY n DESC;
-- answers: outer WHERE on a key
SELECT ward, n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) t WHERE t.ward <> 'surgery';
-- answers: wards above the mean of all wards
WITH w AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) SELECT ward, n FROM w WHERE n > (SELECT AVG(n) FROM w);
-- answers: wards above the mean, by a window
SELECT ward, n FROM (SELECT ward, n, AVG(n) OVER () AS usual FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)) WHERE n > usual;
-- answers: mean, least and greatest number of visits per ward
SELECT AVG(n) AS mean, MIN(n) AS least, MAX(n) AS greatest, COUNT(*) AS wards FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward);
-- answers: groups of groups
SELECT kind, SUM(n) AS n, COUNT(*) AS wards FROM (SELECT kind, ward, COUNT(*) AS n FROM visits GROUP BY kind, ward) GROUP BY kind ORDER BY kind;
-- answers: ratio of two aggregates with conditions
SELECT ward, COUNT(*) FILTER (WHERE kind = 'emergency') * 1.0 / COUNT(*) AS share FROM visits GROUP BY ward;
-- answers: two CTEs of the same rows, joined
WITH all_visits AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward), dear AS (SELECT ward, COUNT(*) AS n FROM visits WHERE cost > 1000 GROUP BY ward) SELECT a.ward, d.n * 1.0 / a.n AS share FROM all_visits a JOIN dear d ON a.ward = d.ward;
-- answers: share of all visits by a scalar sub-query
SELECT ward, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM visits) AS share FROM visits GROUP BY ward;
-- answers: share of the old among all patients
SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM patients) AS share FROM patients WHERE age >= 65;
-- answers: released groups beside public numbers
WITH c AS (SELECT city, COUNT(*) AS n FROM patients GROUP BY city) SELECT c.city, c.n * 1000.0 / t.population AS per_thousand FROM c JOIN towns t ON c.city = t.city;
-- answers: released groups beside public numbers, kept if there are none
SELECT c.city, t.region, n FROM (SELECT city, COUNT(*) AS n FROM patients GROUP BY city) c LEFT JOIN towns t USING (city) ORDER BY n DESC;
-- answers: cumulative share, as a Pareto table has it
SELECT ward, n, SUM(n) OVER (ORDER BY n DESC) * 1.0 / SUM(n) OVER () AS so_far FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) ORDER BY n DESC;
-- answers: quarters of the ranking
SELECT ward, NTILE(2) OVER (ORDER BY COUNT(*)) AS half FROM visits GROUP BY ward;
-- answers: percent rank and cumulative distribution
SELECT ward, PERCENT_RANK() OVER (ORDER BY COUNT(*)) AS pr, CUME_DIST() OVER (ORDER BY COUNT(*)) AS cd FROM visits GROUP BY ward;
-- answers: a named window
SELECT m, SUM(n) OVER w AS so_far, AVG(n) OVER w AS mean FROM (SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY 1) WINDOW w AS (ORDER BY m);
-- answers: the last value by a frame
SELECT m, LAST_VALUE(n) OVER (ORDER BY m ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS december FROM (SELECT month(day) AS m, COUNT(*) AS n FROM visits GROUP BY 1);
-- answers: index to the mean of all months
WITH monthly AS (SELECT month(day) AS m, AVG(cost) AS c FROM visits GROUP BY 1) SELECT m, 100 * c / AVG(c) OVER () AS at_100 FROM monthly ORDER BY m;
-- answers: distinct bands of released counts
SELECT CASE WHEN n > 50 THEN 'large' ELSE 'small' END AS size, COUNT(*) AS wards FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) GROUP BY 1;
-- answers: exponent and logarithm of released numbers
SELECT ward, LN(GREATEST(COUNT(*), 1)) AS log_n, SQRT(GREATEST(SUM(cost), 0)) AS root FROM visits GROUP BY ward;
-- answers: power of a released number
SELECT POWER(AVG(stay), 2) AS square, EXP(AVG(stay) / 100) AS e FROM visits;
-- answers: limit in a sub-query of groups
SELECT AVG(n) AS mean_of_largest FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 2);
-- answers: distinct values of released groups
SELECT DISTINCT n > 20 AS large FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward);
