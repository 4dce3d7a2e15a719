-- Text columns, cleaned as people clean them.
-- answers: first letter of a code
SELECT LEFT(diagnosis, 1) AS chapter, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: part of a code
SELECT SUBSTRING(diagnosis, 1, 3) AS code, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: SUBSTRING as the standard writes it
SELECT COUNT(*) AS n FROM visits WHERE SUBSTRING(diagnosis FROM 1 FOR 1) = 'I';
-- answers: the part before a point
SELECT SPLIT_PART(diagnosis, '.', 1) AS code, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: the part after a point as a condition
SELECT COUNT(*) AS n FROM visits WHERE SPLIT_PART(diagnosis, '.', 2) = '9';
-- answers: trimmed and lowered
SELECT COUNT(DISTINCT LOWER(TRIM(doctor))) AS doctors FROM visits;
-- answers: letters trimmed
SELECT COUNT(*) AS n FROM visits WHERE LTRIM(doctor, 'Dr. ') LIKE 'A%';
-- answers: trimmed as the standard writes it
SELECT COUNT(*) AS n FROM visits WHERE TRIM(LEADING 'D' FROM doctor) LIKE 'r%';
-- answers: a regular expression
SELECT COUNT(*) AS n FROM visits WHERE REGEXP_MATCHES(diagnosis, '^I2[0-5]');
-- answers: a regular expression as an operator
SELECT COUNT(*) AS n FROM visits WHERE diagnosis ~ 'I[0-9]+';
-- answers: a whole match
SELECT COUNT(*) AS n FROM visits WHERE REGEXP_FULL_MATCH(diagnosis, '[A-Z][0-9]{2}(\.[0-9])?');
-- answers: SIMILAR TO
SELECT COUNT(*) AS n FROM visits WHERE diagnosis SIMILAR TO 'E1(0|1).*';
-- answers: LIKE
SELECT COUNT(*) AS n FROM visits WHERE diagnosis LIKE 'I2%' OR diagnosis ILIKE 'e11%';
-- answers: starts with
SELECT COUNT(*) AS n FROM visits WHERE STARTS_WITH(diagnosis, 'J');
-- answers: position
SELECT COUNT(*) AS n FROM visits WHERE STRPOS(diagnosis, '.') > 0;
-- answers: position as the standard writes it
SELECT COUNT(*) AS n FROM visits WHERE POSITION('.' IN diagnosis) = 4;
-- answers: INSTR
SELECT COUNT(*) AS n FROM visits WHERE INSTR(diagnosis, '.') = 0;
-- answers: length
SELECT LENGTH(diagnosis) > 3 AS long, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: joined texts
SELECT ward || '/' || kind AS cell, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: CONCAT_WS
SELECT CONCAT_WS('-', ward, kind) AS cell, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: REPLACE
SELECT COUNT(DISTINCT REPLACE(doctor, 'Dr. ', '')) AS doctors FROM visits;
-- answers: upper case of choices
SELECT UPPER(ward) AS ward, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: the end of a text
SELECT RIGHT(diagnosis, 1) AS last, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: padded
SELECT LPAD(CAST(month(day) AS VARCHAR), 2, '0') AS m, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: a number from a text
SELECT COUNT(*) AS n FROM visits WHERE TRY_CAST(SUBSTRING(diagnosis, 2, 2) AS INTEGER) BETWEEN 20 AND 25;
-- refused: a reversed text
-- instead: SELECT COUNT(*) AS n FROM visits WHERE RIGHT(diagnosis, 2) = '.9'
SELECT COUNT(*) AS n FROM visits WHERE REVERSE(diagnosis) LIKE '9.%';
-- answers: all but letters taken out
SELECT COUNT(DISTINCT REGEXP_REPLACE(doctor, '[^a-z]', '', 'g')) AS doctors FROM visits;
-- answers: the first letter of a code by a pattern
SELECT REGEXP_EXTRACT(diagnosis, '[A-Z]') AS chapter, COUNT(*) AS n FROM visits GROUP BY 1;
-- refused: a pattern with a reference to itself has no linear time
-- instead: SELECT COUNT(*) AS n FROM visits WHERE REGEXP_MATCHES(diagnosis, '\d')
SELECT COUNT(*) AS n FROM visits WHERE REGEXP_MATCHES(diagnosis, '(.)\1');
-- answers: the digits of a code
SELECT REGEXP_EXTRACT(diagnosis, '[0-9]+') AS digits, COUNT(*) AS n FROM visits GROUP BY 1;
-- answers: a pattern whatever the case
SELECT COUNT(*) AS n FROM visits WHERE diagnosis ~* '^(i2|e1)';
-- answers: a pattern that is not there
SELECT ward, COUNT(*) AS n FROM visits WHERE diagnosis NOT RLIKE '\.[0-9]$' GROUP BY ward;
-- answers: a whole word
SELECT COUNT(*) AS n FROM visits WHERE REGEXP_LIKE(doctor, '\bDr\b');
-- answers: choices by a pattern are known keys
SELECT CASE WHEN ward ~ '^c' THEN 'c' ELSE 'other' END AS first, COUNT(*) AS n FROM visits GROUP BY 1;
-- refused: a pattern that looks ahead
-- instead: SELECT COUNT(*) AS n FROM visits WHERE diagnosis ~ 'I(?:2)'
SELECT COUNT(*) AS n FROM visits WHERE diagnosis ~ 'I(?=2)';
-- refused: a group taken out of a text
-- instead: SELECT REGEXP_EXTRACT(diagnosis, '[0-9]+') AS digits, COUNT(*) AS n FROM visits GROUP BY 1
SELECT REGEXP_EXTRACT(diagnosis, '([A-Z])([0-9]+)', 2) AS digits, COUNT(*) AS n FROM visits GROUP BY 1;
-- refused: LIKE's signs in SIMILAR TO
-- instead: SELECT COUNT(*) AS n FROM visits WHERE diagnosis LIKE 'I2%'
SELECT COUNT(*) AS n FROM visits WHERE diagnosis SIMILAR TO 'I2%';
