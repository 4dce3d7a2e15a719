-- Statistics beyond counts and means.
-- answers: correlation
SELECT CORR(age, income) AS r FROM patients;
-- answers: correlation by group
SELECT sex, CORR(age, income) AS r FROM patients GROUP BY sex;
-- answers: covariance
SELECT COVAR_POP(age, income) AS c, COVAR_SAMP(age, income) AS s FROM patients;
-- answers: regression line
SELECT REGR_SLOPE(income, age) AS slope, REGR_INTERCEPT(income, age) AS at_birth, REGR_R2(income, age) AS r2 FROM patients;
-- answers: skewness and kurtosis
SELECT SKEWNESS(income) AS skew, KURTOSIS(income) AS kurt FROM patients;
-- answers: the commonest ward
SELECT MODE(ward) AS usual FROM visits;
-- answers: the commonest ward of each kind
SELECT kind, MODE(ward) AS usual FROM visits GROUP BY kind;
-- answers: the commonest length of stay
SELECT MODE(stay) AS usual FROM visits;
-- answers: approximate distinct
SELECT APPROX_COUNT_DISTINCT(doctor) AS doctors FROM visits;
-- answers: pairs
SELECT COUNT(DISTINCT (ward, kind)) AS pairs FROM visits;
-- answers: sum of squares
SELECT SUM(POWER(stay, 2)) AS squares FROM visits;
-- answers: mean square by POW and **
SELECT AVG(POW(stay, 2)) AS a, AVG(stay ** 2) AS b FROM visits;
-- answers: cubes
SELECT SUM(POWER(stay, 3)) AS cubes FROM visits;
-- answers: coefficient of variation
SELECT STDDEV(income) / AVG(income) AS cv FROM patients;
-- answers: standard error of a mean
SELECT STDDEV(income) / SQRT(COUNT(income)) AS se FROM patients;
-- answers: ratio of high to low quantiles
SELECT QUANTILE_CONT(income, 0.8) / QUANTILE_CONT(income, 0.2) AS s80_20 FROM patients;
-- refused: any and all hang on one row
-- instead: SELECT COUNT_IF(age > 100) AS some, AVG(CASE WHEN age >= 18 THEN 1 ELSE 0 END) AS every FROM patients
SELECT BOOL_OR(age > 100) AS some, BOOL_AND(age >= 18) AS every FROM patients;
-- answers: approximate quantile
SELECT APPROX_QUANTILE(income, 0.5) AS half FROM patients;
-- answers: z-score of wards from released numbers
SELECT ward, (AVG(cost) - 500) / NULLIF(STDDEV(cost), 0) AS z FROM visits GROUP BY ward;
-- answers: mean of logarithms of released numbers
SELECT kind, EXP(LN(GREATEST(AVG(cost), 1))) AS g FROM visits GROUP BY kind;
-- answers: root mean square
SELECT SQRT(AVG(stay * stay)) AS rms FROM visits;
-- answers: weighted mean
SELECT SUM(cost * stay) / SUM(stay) AS weighted FROM visits;
-- answers: quantile by PERCENTILE_DISC
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY stay) AS half FROM visits;
-- answers: median absolute deviation needs two questions; one stated centre is enough
SELECT MEDIAN(ABS(cost - 500)) AS mad FROM visits;
-- refused: LN of a private column differs between engines
-- instead: SELECT LN(AVG(income) + 1) AS logarithm FROM patients
SELECT AVG(LN(income + 1)) AS geometric FROM patients;
-- refused: a list of private texts
-- instead: SELECT doctor, COUNT(*) AS n FROM visits GROUP BY doctor
SELECT STRING_AGG(doctor, ', ') AS doctors FROM visits;
-- refused: a private value of one row
-- instead: SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis
SELECT ANY_VALUE(diagnosis) AS one FROM visits;
-- refused: products overflow
-- instead: SELECT SUM(stay) AS p FROM visits
SELECT PRODUCT(stay) AS p FROM visits;
-- refused: lists of rows
-- instead: SELECT BIN(cost, 500) AS cost, COUNT(*) AS n FROM visits GROUP BY 1
SELECT LIST(cost) AS costs FROM visits;
-- refused: the row with the greatest cost
-- instead: SELECT doctor, AVG(cost) AS cost FROM visits GROUP BY doctor ORDER BY cost DESC
SELECT ARG_MAX(doctor, cost) AS dearest FROM visits;
-- answers: the commonest diagnosis, of which no list is declared
SELECT MODE(diagnosis) AS usual FROM visits WHERE kind = 'inpatient';
-- answers: the usual weekday of each ward
SELECT ward, MODE(DAYOFWEEK(day)) AS weekday FROM visits GROUP BY ward ORDER BY ward;
-- refused: a mode beside other numbers
-- instead: SELECT ward, MODE(kind) AS usual FROM visits GROUP BY ward
SELECT ward, MODE(kind) AS usual, COUNT(*) AS n FROM visits GROUP BY ward;
-- refused: a Gini coefficient has no error bar that holds for all data
-- instead: SELECT QUANTILE_CONT(income, [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]) AS tenth FROM patients
SELECT GINI(income) AS g FROM patients;
-- answers: the middles of the tenths, from which inequality is computed
SELECT QUANTILE_CONT(income, [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]) AS tenth FROM patients;
