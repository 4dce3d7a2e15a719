-- Plain aggregates of one table, as everybody types them.
-- answers: all visits
SELECT COUNT(*) FROM visits;
-- answers: visits by ward
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward;
-- answers: patients by ward
SELECT ward, COUNT(DISTINCT patient_id) AS patients FROM visits GROUP BY ward ORDER BY patients DESC;
-- answers: mean cost of inpatient visits by ward
SELECT ward, AVG(cost) AS mean_cost FROM visits WHERE kind = 'inpatient' GROUP BY ward;
-- answers: total cost by quarter
SELECT quarter(day) AS q, SUM(cost) AS cost FROM visits GROUP BY quarter(day) ORDER BY q;
-- answers: counts by sex and age band
SELECT sex, CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END AS band, COUNT(*) AS n FROM patients GROUP BY ALL;
-- answers: groups with at least 20, by noisy count
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) >= 20;
-- answers: the largest wards
SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 2 DESC LIMIT 2;
-- answers: share of emergency visits as a mean of a condition
SELECT AVG(CASE WHEN kind = 'emergency' THEN 1 ELSE 0 END) AS share FROM visits;
-- answers: visits by ward and kind in columns
SELECT ward, COUNT(*) FILTER (WHERE kind = 'inpatient') AS inpatient, COUNT(*) FILTER (WHERE kind = 'emergency') AS emergency FROM visits GROUP BY ward;
-- answers: counts of known and of missing incomes
SELECT COUNT(*) AS persons, COUNT(income) AS known, COUNT(*) - COUNT(income) AS missing FROM patients;
-- answers: minimum and maximum stay
SELECT MIN(stay) AS shortest, MAX(stay) AS longest FROM visits;
-- answers: median income by sex
SELECT sex, MEDIAN(income) AS income FROM patients GROUP BY sex;
-- answers: quartiles
SELECT QUANTILE_CONT(income, [0.25, 0.5, 0.75]) AS income FROM patients;
-- answers: percentile as the standard has it
SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY cost) AS p90 FROM visits;
-- answers: cost per visit by division
SELECT kind, SUM(cost) / COUNT(*) AS per_visit FROM visits GROUP BY kind;
-- answers: cost per patient
SELECT kind, SUM(cost) / COUNT(DISTINCT patient_id) AS per_patient FROM visits GROUP BY kind;
-- answers: spread of stays
SELECT STDDEV(stay) AS sd, VAR_POP(stay) AS var FROM visits;
-- answers: number of different doctors
SELECT COUNT(DISTINCT doctor) AS doctors FROM visits;
-- answers: diagnoses, selected privately
SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis ORDER BY n DESC;
-- answers: long stays
SELECT COUNT(*) AS n FROM visits WHERE stay BETWEEN 7 AND 30 AND NOT kind IN ('outpatient');
-- answers: several thresholds at once
SELECT SUM(CASE WHEN cost > 1000 THEN 1 ELSE 0 END) AS high, SUM(CASE WHEN cost <= 1000 THEN 1 ELSE 0 END) AS low FROM visits;
-- answers: histogram of ages
SELECT BIN(age, 10) AS age, COUNT(*) AS n FROM patients GROUP BY 1 ORDER BY 1;
-- answers: a histogram by hand
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM patients GROUP BY 1 ORDER BY 1;
-- answers: a condition as a key
SELECT age >= 65 AS old, AVG(income) AS income FROM patients GROUP BY age >= 65;
-- answers: SUM of a condition
SELECT ward, SUM(kind = 'emergency') AS emergencies FROM visits GROUP BY ward;
-- answers: COUNT_IF
SELECT COUNT_IF(cost > 500) AS dear FROM visits;
-- answers: rounded for a report
SELECT ward, ROUND(AVG(cost), 1) AS cost, GREATEST(COUNT(*), 0) AS n FROM visits GROUP BY ward;
