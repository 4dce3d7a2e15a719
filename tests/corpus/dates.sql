-- Dates as people write them.
-- answers: visits by month
SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 1;
-- answers: visits by week
SELECT DATE_TRUNC('week', day) AS week, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: visits by day of week
SELECT DAYNAME(day) AS weekday, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: visits by month name
SELECT MONTHNAME(day) AS month, COUNT(*) AS n FROM visits GROUP BY MONTHNAME(day);
-- answers: visits by STRFTIME
SELECT STRFTIME(day, '%Y-%m') AS month, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 1;
-- answers: weekday by STRFTIME
SELECT STRFTIME(day, '%a') AS weekday, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: TO_CHAR is STRFTIME in other words; DuckDB's form is read
SELECT STRFTIME(at, '%H') AS hour, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: hours of the day
SELECT EXTRACT(hour FROM at) AS hour, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 1;
-- answers: ISO weekday
SELECT EXTRACT(isodow FROM day) AS weekday, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: day of year
SELECT COUNT(*) AS n FROM visits WHERE EXTRACT(doy FROM day) <= 90;
-- answers: seconds
SELECT COUNT(*) AS n FROM visits WHERE EXTRACT(second FROM at) < 30;
-- answers: decade, century and ISO year
SELECT EXTRACT(decade FROM born) AS decade, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: ISO year
SELECT EXTRACT(isoyear FROM day) AS y, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: the last quarter by months
SELECT COUNT(*) AS n FROM visits WHERE day >= DATE '2024-12-31' - INTERVAL 3 MONTH;
-- answers: a year before
SELECT COUNT(*) AS n FROM patients WHERE joined > DATE '2024-06-30' - INTERVAL '1' YEAR;
-- answers: a month after an event
SELECT COUNT(*) AS n FROM visits WHERE day + INTERVAL 1 MONTH <= DATE '2024-06-30';
-- answers: hours after
SELECT COUNT(*) AS n FROM visits WHERE at + INTERVAL 12 HOUR >= TIMESTAMP '2024-06-30 12:00:00';
-- answers: hours between
SELECT COUNT(*) AS n FROM visits WHERE DATE_DIFF('hour', at, TIMESTAMP '2024-06-30') BETWEEN 0 AND 72;
-- answers: one day by its timestamps
SELECT COUNT(*) AS n FROM visits WHERE at >= TIMESTAMP '2024-06-30' AND at < TIMESTAMP '2024-06-30' + INTERVAL 1 DAY;
-- answers: born so many years ago
SELECT COUNT(*) AS n FROM patients WHERE born <= DATE '2024-12-31' - INTERVAL 65 YEAR;
-- answers: years between dates
SELECT AVG(DATE_DIFF('year', born, DATE '2024-12-31')) AS age FROM patients;
-- answers: months between dates
SELECT AVG(DATE_DIFF('month', joined, DATE '2024-12-31')) AS months FROM patients;
-- answers: full years by DATE_SUB
SELECT AVG(DATE_SUB('year', born, DATE '2024-12-31')) AS age FROM patients;
-- answers: age in full years
SELECT EXTRACT(year FROM AGE(DATE '2024-12-31', born)) AS years, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: seconds since 1970
SELECT AVG(EPOCH(at)) AS at FROM visits;
-- answers: hours by truncation
SELECT DATE_TRUNC('hour', at) AS hour, COUNT(*) AS n FROM visits WHERE at >= TIMESTAMP '2024-03-01' AND at < TIMESTAMP '2024-03-02' GROUP BY 1;
-- answers: decade by truncation
SELECT DATE_TRUNC('decade', born) AS decade, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: the year as a condition narrows months
SELECT DATE_TRUNC('month', joined) AS month, COUNT(*) AS n FROM patients WHERE YEAR(joined) = 2020 GROUP BY 1;
-- answers: days between, in hundreds
SELECT BIN(DATE_DIFF('day', joined, DATE '2024-12-31'), 100) AS days, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: weekends
SELECT COUNT(*) FILTER (WHERE DAYOFWEEK(day) IN (0, 6)) AS weekend, COUNT(*) AS n FROM visits;
-- answers: dates written the other way round
SELECT COUNT(*) AS n FROM visits WHERE STRPTIME(written, '%d/%m/%Y') >= DATE '2024-07-01';
-- answers: months of dates written as text
SELECT MONTH(STRPTIME(written, '%d/%m/%Y')) AS m, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: the last day of the month
SELECT COUNT(*) AS n FROM visits WHERE day = LAST_DAY(day);
-- answers: a date from parts
SELECT COUNT(*) AS n FROM visits WHERE day >= MAKE_DATE(2024, 7, 1);
-- answers: a cast to a date
SELECT CAST(at AS DATE) AS d, COUNT(*) AS n FROM visits WHERE at < TIMESTAMP '2024-01-11' GROUP BY 1;
-- answers: fiscal year by shifting
SELECT YEAR(joined + INTERVAL 9 MONTH) AS fiscal, COUNT(*) AS n FROM patients GROUP BY 1;
-- answers: year and month by two keys
SELECT YEAR(day) AS y, MONTH(day) AS m, COUNT(*) AS n FROM visits GROUP BY y, m ORDER BY y, m;
-- refused: today changes from day to day
-- instead: SELECT COUNT(*) AS n FROM visits WHERE day >= DATE '2024-12-01'
SELECT COUNT(*) AS n FROM visits WHERE day >= CURRENT_DATE - INTERVAL 30 DAY;
-- refused: time zones are stated with the data
-- instead: SELECT COUNT(*) AS n FROM visits WHERE at > TIMESTAMP '2024-01-01'
SELECT COUNT(*) AS n FROM visits WHERE at AT TIME ZONE 'Europe/Vienna' > TIMESTAMP '2024-01-01';
