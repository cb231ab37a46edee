-- Describes the schema of the platform's database, a line for each part. Partitions and unlogged tables are left out, because a
-- running backend creates them.
WITH tables AS (
  SELECT oid, relname FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'migrations'
)
SELECT line FROM (
  SELECT format('column %s.%s %s%s%s%s', t.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN ' NOT NULL' END,
    CASE WHEN a.attgenerated <> '' THEN ' GENERATED' END,
    ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS line
  FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  UNION ALL
  -- Servers before version 18 have no constraints for NOT NULL.
  SELECT format('constraint %s.%s %s', t.relname, k.conname, pg_get_constraintdef(k.oid))
  FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid WHERE k.contype <> 'n'
  UNION ALL
  SELECT format('index %s', pg_get_indexdef(i.indexrelid)) FROM tables t JOIN pg_index i ON i.indrelid = t.oid
  UNION ALL
  SELECT format('trigger %s', pg_get_triggerdef(g.oid))
  FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid WHERE NOT g.tgisinternal
  UNION ALL
  SELECT format('function %s(%s) %s', proname, pg_get_function_identity_arguments(oid), md5(prosrc))
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname <> 'uuidv7'
) AS parts ORDER BY line COLLATE "C"
