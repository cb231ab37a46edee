/**
 * Finds an index, statistics, a domain or a range type with a function in SQL or PL/pgSQL. The path keeps operators of the
 * user out. Only superusers can create functions in C, operator classes and other types with code.
 */
export const USER_CODE_IN_VACUUM = `
SET search_path = pg_catalog, pg_temp;
WITH code AS (
  SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE p.oid >= 16384 AND lanname NOT IN ('internal', 'c')
), used AS (
  SELECT classid, objid FROM pg_depend
   WHERE refclassid = 'pg_proc'::regclass AND refobjid IN (SELECT oid FROM code)
      OR refclassid = 'pg_operator'::regclass
         AND refobjid IN (SELECT oid FROM pg_operator WHERE oprcode IN (SELECT oid FROM code))
)
SELECT pg_describe_object(classid, objid, 0) AS what FROM used
 WHERE classid = 'pg_class'::regclass AND objid IN (SELECT indexrelid FROM pg_index)
    OR classid = 'pg_statistic_ext'::regclass
    OR classid = 'pg_constraint'::regclass AND objid IN (SELECT oid FROM pg_constraint WHERE contypid <> 0)
UNION ALL
SELECT pg_describe_object('pg_type'::regclass, rngtypid, 0) FROM pg_range
 WHERE rngsubdiff IN (SELECT oid FROM code) OR rngcanonical IN (SELECT oid FROM code)
LIMIT 1;
RESET search_path`;
