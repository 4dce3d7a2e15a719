-- Joins as they are typed.
-- answers: visits with the patient's sex
SELECT p.sex, COUNT(*) AS n FROM visits v JOIN patients p ON v.patient_id = p.patient_id GROUP BY p.sex;
-- answers: mean cost by age band
SELECT BIN(p.age, 20) AS age, AVG(v.cost) AS cost FROM visits v JOIN patients p USING (patient_id) GROUP BY 1;
-- answers: three tables
SELECT t.region, COUNT(*) AS n FROM visits v JOIN patients p ON v.patient_id = p.patient_id JOIN towns t ON p.city = t.city GROUP BY t.region;
-- answers: from the patient's side
SELECT p.sex, SUM(v.cost) AS cost FROM patients p JOIN visits v ON p.patient_id = v.patient_id GROUP BY p.sex;
-- answers: visits kept without a patient
SELECT COUNT(*) AS n, COUNT(p.sex) AS known FROM visits v LEFT JOIN patients p ON v.patient_id = p.patient_id;
-- answers: patients kept without a visit
SELECT p.sex, COUNT(v.cost) AS n FROM patients p LEFT JOIN visits v ON p.patient_id = v.patient_id GROUP BY p.sex;
-- answers: a comma join
SELECT p.sex, COUNT(*) AS n FROM patients p, visits v WHERE p.patient_id = v.patient_id GROUP BY p.sex;
-- answers: a comma join with a public table
SELECT t.region, COUNT(*) AS n FROM patients p, towns t WHERE p.city = t.city GROUP BY t.region;
-- answers: a condition in ON
SELECT COUNT(*) AS n FROM visits v JOIN patients p ON v.patient_id = p.patient_id AND p.age >= 65;
-- answers: an expression in ON
SELECT t.region, COUNT(*) AS n FROM patients p JOIN towns t ON LOWER(p.city) = LOWER(t.city) GROUP BY t.region;
-- refused: a cross join with a public table
-- instead: SELECT COUNT(*) AS n FROM visits v JOIN tariffs t ON v.kind = t.kind
SELECT COUNT(*) AS n FROM patients CROSS JOIN tariffs;
-- refused: a right join
-- instead: SELECT t.city, COUNT(*) AS n FROM patients p JOIN towns t ON p.city = t.city GROUP BY t.city
SELECT t.city, COUNT(*) AS n FROM patients p RIGHT JOIN towns t ON p.city = t.city GROUP BY t.city;
-- answers: a natural join
SELECT region, COUNT(*) AS n FROM patients NATURAL JOIN towns GROUP BY region;

-- answers: keys that a public join ties together are not crossed; a column of USING needs no table
SELECT city, region, COUNT(*) AS n FROM patients JOIN towns USING (city) GROUP BY city, region;
-- answers: a natural join of two private tables, on the person
SELECT sex, COUNT(*) AS n FROM visits NATURAL JOIN patients GROUP BY sex;
-- answers: a natural left join
SELECT region, COUNT(*) AS n FROM patients NATURAL LEFT JOIN towns GROUP BY region;
-- refused: a natural join of tables without a name in common
-- instead: SELECT COUNT(*) AS n FROM visits v JOIN holidays h ON v.day = h.day
SELECT COUNT(*) AS n FROM patients NATURAL JOIN holidays;
