-- Rightly refused: rows, private values, other persons' rows, things that change.
-- refused: rows
SELECT * FROM patients;
-- refused: rows with a limit
SELECT patient_id, diagnosis FROM visits LIMIT 10;
-- refused: distinct private values
SELECT DISTINCT diagnosis FROM visits;
-- refused: windows over private rows
SELECT AVG(r) AS r FROM (SELECT RANK() OVER (ORDER BY income) AS r FROM patients);
-- refused: a column that is not grouped by
SELECT ward, doctor, COUNT(*) AS n FROM visits GROUP BY ward;
-- refused: a random choice
SELECT COUNT(*) AS n FROM patients WHERE RANDOM() < 0.1;
-- refused: a file
SELECT COUNT(*) AS n FROM 'other.csv';
-- refused: a function in FROM
SELECT COUNT(*) AS n FROM READ_CSV('other.csv');
-- refused: a misspelt column
SELECT COUNT(*) AS n FROM patients WHERE incom > 10;
-- refused: a misspelt table
SELECT COUNT(*) AS n FROM patient;
-- refused: a misspelt function
SELECT COUTN(*) AS n FROM patients;
-- refused: nothing counted
SELECT COUNT(DISTINCT) AS n FROM patients;
-- refused: two statements
SELECT COUNT(*) FROM patients; SELECT COUNT(*) FROM visits
;
-- refused: a change
DELETE FROM patients;
-- refused: public tables only
SELECT COUNT(*) AS n FROM towns;
-- refused: distinct sums
SELECT SUM(DISTINCT cost) AS s FROM visits;
-- refused: offset without an order
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward OFFSET 2;
-- refused: sample
SELECT COUNT(*) AS n FROM patients USING SAMPLE 10%;
-- refused: union of private rows without ALL
SELECT COUNT(*) AS n FROM (SELECT ward FROM visits UNION SELECT ward FROM visits);
