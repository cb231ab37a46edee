/**
 * Query for what lets PostgreSQL call functions of a user outside the user's statements: VACUUM and ANALYZE evaluate
 * indexes and statistics on expressions, and ask range types for distances. `what` describes an index, statistics or a
 * column, `rel` is its table. Needs `pg_catalog` as path, which keeps operators of the user out.
 *
 * Only superusers can create functions in C, operator classes and other types with code. The functions of extensions
 * belong to the superuser. A domain's check is called where an expression makes a value of the domain, or of a type
 * that contains it, and a cast to json where JSON is made of a value.
 *
 * Statistics may have functions that are not immutable. Some of PostgreSQL's own execute a statement, such as
 * `query_to_xml`, or read a view, and PostgreSQL records no dependency on its own functions. So the tree of the
 * expression is searched for them: `funcid` names the function of a call, `opfuncid` that of an operator. `[0-9]`, because a setting of the session gives backslashes another meaning.
 */
export const USER_CODE = `
WITH RECURSIVE code AS (
  SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = prolang JOIN pg_roles r ON r.oid = proowner
   WHERE p.oid >= 16384 AND lanname NOT IN ('internal', 'c') AND NOT rolsuper
), operators AS (
  SELECT oid FROM pg_operator WHERE oprcode IN (SELECT oid FROM code)
), ranges (oid) AS (
  SELECT unnest(ARRAY[rngtypid, rngmultitypid]) FROM pg_range
   WHERE rngsubdiff IN (SELECT oid FROM code) OR rngcanonical IN (SELECT oid FROM code)
  UNION SELECT t.oid FROM ranges r JOIN pg_type t ON t.typbasetype = r.oid
), parts (part, whole) AS (
  SELECT typbasetype, oid FROM pg_type WHERE oid >= 16384 AND typbasetype <> 0
  UNION ALL SELECT typelem, oid FROM pg_type WHERE oid >= 16384 AND typelem <> 0
  UNION ALL SELECT atttypid, reltype FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
   WHERE attrelid >= 16384 AND reltype <> 0 AND attnum > 0 AND NOT attisdropped
), types (oid) AS (
  SELECT castsource FROM pg_cast WHERE castfunc IN (SELECT oid FROM code) AND casttarget = 'json'::regtype
  UNION SELECT contypid FROM pg_constraint c JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = c.oid
   WHERE contypid <> 0 AND (refclassid = 'pg_proc'::regclass AND refobjid IN (SELECT oid FROM code)
      OR refclassid = 'pg_operator'::regclass AND refobjid IN (SELECT oid FROM operators))
  UNION SELECT whole FROM types JOIN parts ON part = types.oid
), used AS (
  SELECT classid, objid FROM pg_depend
   WHERE objid >= 16384 AND (refclassid = 'pg_proc'::regclass AND refobjid IN (
       SELECT oid FROM code UNION ALL SELECT oid FROM pg_proc WHERE oid >= 16384 AND prorettype IN (SELECT oid FROM ranges))
      OR refclassid = 'pg_operator'::regclass AND refobjid IN (SELECT oid FROM operators)
      OR refclassid = 'pg_type'::regclass AND refobjid IN (SELECT oid FROM types))
), tables AS (
  SELECT attrelid FROM pg_attribute WHERE attrelid >= 16384 AND atttypid IN (SELECT oid FROM types) AND NOT attisdropped
  UNION SELECT typrelid FROM pg_type WHERE oid IN (SELECT oid FROM types) AND typrelid <> 0
), mutable AS (
  SELECT DISTINCT ON (s.oid) s.oid, p.oid::regprocedure AS function FROM pg_statistic_ext s,
    regexp_matches(stxexprs::text, 'funcid ([0-9]+)', 'g') AS reference JOIN pg_proc p ON p.oid = reference[1]::oid
   WHERE provolatile <> 'i'
)
SELECT pg_describe_object('pg_class'::regclass, indexrelid, 0) AS what, indrelid AS rel FROM pg_index
 WHERE indexrelid >= 16384 AND (indexrelid IN (SELECT objid FROM used WHERE classid = 'pg_class'::regclass)
    OR (indexprs IS NOT NULL OR indpred IS NOT NULL) AND indrelid IN (SELECT attrelid FROM tables))
UNION ALL
SELECT pg_describe_object('pg_statistic_ext'::regclass, oid, 0), stxrelid FROM pg_statistic_ext
 WHERE oid IN (SELECT objid FROM used WHERE classid = 'pg_statistic_ext'::regclass)
    OR stxexprs IS NOT NULL AND stxrelid IN (SELECT attrelid FROM tables)
UNION ALL
SELECT format('%s with %s, which is not immutable', pg_describe_object('pg_statistic_ext'::regclass, oid, 0), function), stxrelid
  FROM pg_statistic_ext JOIN mutable USING (oid)
UNION ALL
SELECT pg_describe_object('pg_class'::regclass, attrelid, attnum), coalesce(indrelid, attrelid)
  FROM pg_attribute LEFT JOIN pg_index ON indexrelid = attrelid
 WHERE attrelid >= 16384 AND atttypid IN (SELECT oid FROM ranges) AND NOT attisdropped`;

/** As `USER_CODE`, but only where autovacuum, a process of the superuser without limits, would call it. */
export const USER_CODE_IN_AUTOVACUUM = `
SELECT what, rel FROM (${USER_CODE}) found JOIN pg_class c ON c.oid = rel
 WHERE relkind IN ('r', 'm') AND relpersistence <> 't' AND NOT EXISTS (
   SELECT 1 FROM pg_options_to_table(reloptions) WHERE option_name = 'autovacuum_enabled' AND NOT option_value::boolean)`;
