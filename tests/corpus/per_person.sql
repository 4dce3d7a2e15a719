-- Aggregate per person first, then over persons.
-- answers: visits per patient
SELECT AVG(n) AS visits FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id);
-- answers: histogram of visits per patient
SELECT n, COUNT(*) AS patients FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) GROUP BY n;
-- answers: share of patients with three visits or more
SELECT AVG(CASE WHEN n >= 3 THEN 1 ELSE 0 END) AS share FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) t;
-- answers: mean yearly cost of a patient
SELECT AVG(total) AS cost FROM (SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id);
-- answers: median yearly cost of a patient
SELECT MEDIAN(total) AS cost FROM (SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id);
-- answers: longest stay of each patient
SELECT AVG(longest) AS longest FROM (SELECT patient_id, MAX(stay) AS longest FROM visits GROUP BY patient_id);
-- answers: patients by number of wards
SELECT wards, COUNT(*) AS patients FROM (SELECT patient_id, COUNT(DISTINCT ward) AS wards FROM visits GROUP BY patient_id) GROUP BY wards;
-- answers: frequent patients
SELECT COUNT(*) AS frequent FROM (SELECT patient_id FROM visits GROUP BY patient_id HAVING COUNT(*) >= 3);
-- answers: visits per patient and ward
SELECT ward, AVG(n) AS visits FROM (SELECT patient_id, ward, COUNT(*) AS n FROM visits GROUP BY patient_id, ward) GROUP BY ward;
-- answers: patients without a visit counted, too
SELECT n, COUNT(*) AS patients FROM (SELECT p.patient_id, COUNT(v.day) AS n FROM patients p LEFT JOIN visits v ON p.patient_id = v.patient_id GROUP BY p.patient_id) GROUP BY n;
-- answers: a CTE per person
WITH per AS (SELECT patient_id, SUM(stay) AS days FROM visits GROUP BY patient_id) SELECT AVG(days) AS days, STDDEV(days) AS spread FROM per;
-- answers: spread over persons
SELECT QUANTILE_CONT(n, [0.5, 0.9]) AS n FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id);
