-- Windows and order within one person.
-- answers: first visits
SELECT COUNT(*) AS n FROM (SELECT ward, ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY day) AS k FROM visits) WHERE k = 1;
-- answers: first visits by ward
SELECT ward, COUNT(*) AS n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY day) AS k FROM visits) WHERE k = 1 GROUP BY ward;
-- answers: readmissions within 30 days
SELECT COUNT(*) AS n FROM (SELECT day, LAG(day) OVER (PARTITION BY patient_id ORDER BY day) AS before FROM visits) WHERE day - before <= 30;
-- answers: mean days between visits
SELECT AVG(gap) AS gap FROM (SELECT day - LAG(day) OVER (PARTITION BY patient_id ORDER BY day) AS gap FROM visits);
-- answers: the next ward
SELECT ward, next, COUNT(*) AS n FROM (SELECT ward, LEAD(ward) OVER (PARTITION BY patient_id ORDER BY day) AS next FROM visits) GROUP BY ward, next;
-- answers: the first ward of each patient
SELECT first, COUNT(*) AS n FROM (SELECT FIRST_VALUE(ward) OVER (PARTITION BY patient_id ORDER BY day) AS first FROM visits) GROUP BY first;
-- answers: distinct rows of a person
SELECT COUNT(*) AS n FROM (SELECT DISTINCT patient_id, ward FROM visits);
-- answers: QUALIFY within a person
SELECT COUNT(*) AS n FROM (SELECT * FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY day DESC) = 1);
-- refused: numbers of rows without a limit
-- instead: SELECT AVG(CASE WHEN r IS NOT NULL THEN GREATEST(0, LEAST(100, r)) END) AS r FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY day) AS r FROM visits)
SELECT AVG(r) AS r FROM (SELECT ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY day) AS r FROM visits);
