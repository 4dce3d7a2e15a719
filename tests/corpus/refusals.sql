-- Rightly refused: rows, private values, other persons' rows, things that change.
-- refused: rows
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT * FROM patients;
-- refused: rows with a limit
-- instead: SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis
SELECT patient_id, diagnosis FROM visits LIMIT 10;
-- refused: distinct private values
-- instead: SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis
SELECT DISTINCT diagnosis FROM visits;
-- refused: windows over private rows
-- instead: SELECT AVG(LEAST(r, 20)) AS r FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY day) AS r FROM visits)
SELECT AVG(r) AS r FROM (SELECT RANK() OVER (ORDER BY income) AS r FROM patients);
-- refused: a column that is not grouped by
-- instead: SELECT ward, doctor, COUNT(*) AS n FROM visits GROUP BY ward, doctor
SELECT ward, doctor, COUNT(*) AS n FROM visits GROUP BY ward;
-- refused: a random choice
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT COUNT(*) AS n FROM patients WHERE RANDOM() < 0.1;
-- refused: a file
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT COUNT(*) AS n FROM 'other.csv';
-- refused: a function in FROM
-- instead: SELECT COUNT(*) AS n FROM visits
SELECT COUNT(*) AS n FROM READ_CSV('other.csv');
-- refused: a misspelt column
-- instead: SELECT COUNT(*) AS n FROM patients WHERE income > 10
SELECT COUNT(*) AS n FROM patients WHERE incom > 10;
-- refused: a misspelt table
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT COUNT(*) AS n FROM patient;
-- refused: a misspelt function
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT COUTN(*) AS n FROM patients;
-- refused: nothing counted
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT COUNT(DISTINCT) AS n FROM patients;
-- refused: two statements
-- instead: SELECT COUNT(*) FROM patients
SELECT COUNT(*) FROM patients; SELECT COUNT(*) FROM visits
;
-- refused: a change
-- instead: SELECT COUNT(*) AS n FROM patients
DELETE FROM patients;
-- refused: public tables only
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT COUNT(*) AS n FROM towns;
-- refused: distinct sums
-- instead: SELECT COUNT(DISTINCT cost) AS s FROM visits
SELECT SUM(DISTINCT cost) AS s FROM visits;
-- refused: offset without an order
-- instead: SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n OFFSET 2
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward OFFSET 2;
-- refused: sample
-- instead: SELECT COUNT(*) AS n FROM patients
SELECT COUNT(*) AS n FROM patients USING SAMPLE 10%;
-- refused: union of private rows without ALL
-- instead: SELECT COUNT(*) AS n FROM (SELECT patient_id, ward FROM visits UNION ALL SELECT patient_id, ward FROM visits)
SELECT COUNT(*) AS n FROM (SELECT ward FROM visits UNION SELECT ward FROM visits);
