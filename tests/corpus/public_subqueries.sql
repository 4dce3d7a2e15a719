-- Sub-queries over public tables, VALUES, constants and reused CTEs.
-- answers: IN over a public table
SELECT COUNT(*) AS n FROM patients WHERE city IN (SELECT city FROM towns WHERE region = 'north');
-- answers: NOT IN over a public table
SELECT COUNT(*) AS n FROM patients WHERE city NOT IN (SELECT city FROM towns WHERE population < 50000);
-- answers: a scalar of a public table
SELECT COUNT(*) AS n FROM visits WHERE cost > (SELECT MAX(price) FROM tariffs);
-- answers: a scalar in SELECT
SELECT COUNT(*) * 1000.0 / (SELECT SUM(population) FROM towns) AS per_thousand FROM patients;
-- answers: a mean of a public table as a bound
SELECT COUNT(*) AS n FROM patients WHERE income < (SELECT AVG(population) FROM towns);
-- answers: a list in VALUES
SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT col0 FROM (VALUES ('cardiology'), ('surgery')));
-- refused: a join with VALUES
-- instead: SELECT CASE WHEN ward = 'cardiology' THEN 'heart' WHEN ward = 'surgery' THEN 'knife' END AS area, COUNT(*) AS n FROM visits GROUP BY area
SELECT w.area, COUNT(*) AS n FROM visits v JOIN (VALUES ('cardiology', 'heart'), ('surgery', 'knife')) AS w(ward, area) ON v.ward = w.ward GROUP BY w.area;
-- answers: a CTE of constants
WITH line AS (SELECT 15000 AS poverty) SELECT AVG(CASE WHEN income < (SELECT poverty FROM line) THEN 1 ELSE 0 END) AS poor FROM patients;
-- answers: a CTE used twice
WITH dear AS (SELECT * FROM visits WHERE cost > 1000) SELECT kind, COUNT(*) AS n, AVG(cost) AS cost FROM dear GROUP BY kind;
-- answers: a public CTE
WITH north AS (SELECT city, population FROM towns WHERE region = 'north') SELECT n.city, COUNT(*) AS persons FROM patients p JOIN north n ON p.city = n.city GROUP BY n.city;
-- answers: EXISTS over a public table
SELECT COUNT(*) AS n FROM patients p WHERE EXISTS (SELECT 1 FROM towns t WHERE t.city = p.city AND t.region = 'south');
-- answers: NOT EXISTS over a public table
SELECT COUNT(*) AS n FROM visits v WHERE NOT EXISTS (SELECT 1 FROM holidays h WHERE h.day = v.day);
-- answers: days that are holidays
SELECT COUNT(*) AS n FROM visits WHERE day IN (SELECT day FROM holidays);
-- answers: a public table joined for a key
SELECT t.region, COUNT(*) AS n FROM patients p JOIN towns t ON p.city = t.city GROUP BY t.region;
-- answers: a public price times private rows
SELECT SUM(t.price) AS billed FROM visits v JOIN tariffs t ON v.kind = t.kind;
-- refused: a public table grouped first
-- instead: SELECT t.region, COUNT(*) AS n, COUNT(*) * 1.0 / (SELECT SUM(population) FROM towns WHERE region = 'north') AS share FROM patients p JOIN towns t ON p.city = t.city WHERE t.region = 'north' GROUP BY t.region
SELECT r.region, r.people, COUNT(*) AS n FROM patients p JOIN towns t ON p.city = t.city JOIN (SELECT region, SUM(population) AS people FROM towns GROUP BY region) r ON t.region = r.region GROUP BY r.region, r.people;
-- answers: an ordered public sub-query
SELECT COUNT(*) AS n FROM patients WHERE city IN (SELECT city FROM towns ORDER BY population DESC LIMIT 2);
-- answers: a CTE of VALUES with names
WITH wanted(kind) AS (VALUES ('inpatient'), ('emergency')) SELECT COUNT(*) AS n FROM visits WHERE kind IN (SELECT kind FROM wanted);
-- answers: constants computed once
SELECT COUNT(*) AS n FROM patients WHERE income < 0.6 * 25000;
