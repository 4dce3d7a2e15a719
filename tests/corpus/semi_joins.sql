-- Semi- and anti-joins on the person.
-- answers: patients with a visit
SELECT COUNT(*) AS n FROM patients WHERE patient_id IN (SELECT patient_id FROM visits);
-- answers: patients without a visit
SELECT COUNT(*) AS n FROM patients WHERE patient_id NOT IN (SELECT patient_id FROM visits);
-- answers: patients with an emergency
SELECT sex, COUNT(*) AS n FROM patients p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.patient_id = p.patient_id AND v.kind = 'emergency') GROUP BY sex;
-- answers: patients without surgery
SELECT COUNT(*) AS n FROM patients p WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.patient_id = p.patient_id AND v.ward = 'surgery');
-- answers: both wards
SELECT COUNT(*) AS n FROM (SELECT patient_id FROM visits WHERE ward = 'surgery' INTERSECT SELECT patient_id FROM visits WHERE ward = 'cardiology');
-- answers: one ward and not the other
SELECT COUNT(*) AS n FROM (SELECT patient_id FROM visits WHERE ward = 'surgery' EXCEPT SELECT patient_id FROM visits WHERE ward = 'cardiology');
-- answers: SEMI JOIN
SELECT COUNT(*) AS n FROM patients SEMI JOIN visits USING (patient_id);
-- answers: ANTI JOIN
SELECT COUNT(*) AS n FROM patients ANTI JOIN visits USING (patient_id);
-- answers: visits of the old
SELECT ward, COUNT(*) AS n FROM visits WHERE patient_id IN (SELECT patient_id FROM patients WHERE age >= 65) GROUP BY ward;
-- answers: mean income of patients with a dear visit
SELECT AVG(income) AS income FROM patients WHERE patient_id IN (SELECT patient_id FROM visits WHERE cost > 1000);
