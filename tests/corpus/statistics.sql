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
-- refused: the commonest ward
SELECT MODE(ward) AS usual FROM visits;
-- refused: the commonest ward of each kind
SELECT kind, MODE(ward) AS usual FROM visits GROUP BY kind;
-- refused: the commonest length of stay
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
SELECT AVG(LN(income + 1)) AS geometric FROM patients;
-- refused: a list of private texts
SELECT STRING_AGG(doctor, ', ') AS doctors FROM visits;
-- refused: a private value of one row
SELECT ANY_VALUE(diagnosis) AS one FROM visits;
-- refused: products overflow
SELECT PRODUCT(stay) AS p FROM visits;
-- refused: lists of rows
SELECT LIST(cost) AS costs FROM visits;
-- refused: the row with the greatest cost
SELECT ARG_MAX(doctor, cost) AS dearest FROM visits;
