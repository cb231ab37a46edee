/** Names of the databases of the attacker and of its neighbour, which are also the names of their roles. */
export interface Databases {
  self: string;
  other: string;
  /** True if the neighbour's database is on the same server. */
  isOtherHere?: boolean;
}

/** Statements that reach for another database, a file, a program or more rights, each with the SQLSTATE that refuses it. */
export const refusedStatements = ({ self, other, isOtherHere }: Databases): [sql: string, sqlstate: string][] => [
  ['CREATE EXTENSION dblink', '42501'],
  ['CREATE EXTENSION postgres_fdw', '42501'],
  [`SELECT * FROM ${other}.public.secret`, '0A000'],
  [`COPY mine FROM PROGRAM 'id'`, '42501'],
  [`COPY mine TO '/tmp/trawl-hostile'`, '42501'],
  [`SELECT lo_import('/etc/passwd')`, '42501'],
  [`SELECT pg_read_file('/etc/passwd')`, '42501'],
  [`SELECT pg_ls_dir('.')`, '42501'],
  [`CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/lib/x86_64-linux-gnu/libc.so.6', 'system'`, '42501'],
  ['CREATE LANGUAGE plpython3u', '42501'],
  [`GRANT ${other} TO ${self}`, isOtherHere ? '42501' : '42704'],
  [`GRANT pg_read_server_files TO ${self}`, '42501'],
  [`SET ROLE ${other}`, isOtherHere ? '42501' : '22023'],
  [`SET SESSION AUTHORIZATION ${other}`, isOtherHere ? '42501' : '22023'],
  ['SET ROLE trawl', '42501'],
  [`ALTER ROLE ${self} SUPERUSER`, '42501'],
  [`ALTER ROLE ${self} CONNECTION LIMIT 100`, '42501'],
  [`ALTER ROLE ${other} PASSWORD 'x'`, isOtherHere ? '42501' : '42704'],
  [`ALTER ROLE ${self} SET temp_file_limit = -1`, '42501'],
  ['SET temp_file_limit = -1', '42501'],
  ['CREATE ROLE another', '42501'],
  ['CREATE DATABASE another', '25001'],
  [`ALTER DATABASE ${self} OWNER TO ${self}`, '42501'],
  [`ALTER DATABASE ${other} SET search_path = x`, isOtherHere ? '42501' : '3D000'],
  [`ALTER SYSTEM SET work_mem = '1TB'`, '25001'],
  ['SELECT pg_reload_conf()', '42501'],
  [`SELECT rolpassword FROM pg_authid`, '42501'],
  [`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'trawl'`, '42501'],
  ['SELECT pg_terminate_backend(pg_backend_pid())', '42501'],
  ['SELECT pg_cancel_backend(pg_backend_pid())', '42501'],
  ['CREATE EVENT TRIGGER t ON ddl_command_start EXECUTE FUNCTION pg_sleep()', '42501'],
  [`CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p WITH (connect = false)`, '42501'],
];

/** Statements that take time, memory, disk or connections until a limit ends them. */
export const HEAVY = {
  /** Nothing stops this one: neither a cancellation nor the end of the session. */
  endless: `SELECT count(*) FROM XMLTABLE('//b[count(preceding::*[count(preceding::*) > 0]) > 0]' PASSING
    (SELECT ('<a>' || repeat('<b/>', 3000) || '</a>')::xml) COLUMNS n int PATH '1')`,
  memory: `DO $$ DECLARE held text[]; BEGIN LOOP held := held || repeat('x', 10000000); END LOOP; END $$`,
  disk: `SELECT count(*) FROM (SELECT i, repeat('x', 1000) FROM generate_series(1, 100000000) i ORDER BY 2, 1) t`,
  sort: `DO $$ BEGIN
    SET LOCAL work_mem = '10GB';
    PERFORM count(*) FROM (SELECT repeat('x', 1000000) || i AS t FROM (SELECT generate_series(1, 100000) i) g ORDER BY t) s;
    END $$`,
  messages: `DO $$ BEGIN LOOP RAISE NOTICE '%', repeat('n', 100000); END LOOP; END $$`,
  stubborn: `DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$`,
};

/**
 * Loops in C that look for no cancellation. Each would compute for minutes to years. Their values are made before, because a
 * slow machine may reach the time limit while it makes them, and PostgreSQL can stop that.
 */
export const UNSTOPPABLE = {
  'a search in a long text': {
    values: `repeat('a', 4000000) AS a, 'b' || repeat('a', 2000000) AS b`,
    sql: 'SELECT strpos(a, b) FROM big',
  },
  XMLTABLE: {
    values: `('<r>' || repeat('<a/>', 3000) || '</r>')::xml AS a`,
    sql: `SELECT x.n FROM big, XMLTABLE('//a[count(//a[count(//a[count(//a) > 0]) > 0]) > 0]' PASSING a COLUMNS n text PATH '.') x`,
  },
  replace: {
    values: `repeat('a', 4000000) AS a, 'b' || repeat('a', 2000000) AS b`,
    sql: `SELECT length(replace(a, b, '')) FROM big`,
  },
  string_to_array: {
    values: `repeat('a', 4000000) AS a, 'b' || repeat('a', 2000000) AS b`,
    sql: 'SELECT string_to_array(a, b) FROM big',
  },
  translate: {
    values: `repeat('a', 4000000) AS a, repeat('b', 4000000) || 'a' AS b`,
    sql: `SELECT length(translate(a, b, '')) FROM big`,
  },
  'position of bytes': {
    values: `convert_to(repeat('a', 4000000) || 'b', 'UTF8') AS a, convert_to(repeat('a', 9000000), 'UTF8') AS b`,
    sql: 'SELECT position(a IN b) FROM big',
  },
  'position of bits': {
    values: `(repeat('0', 9000000) || '1')::varbit AS a, repeat('0', 20000000)::varbit AS b`,
    sql: 'SELECT position(a IN b) FROM big',
  },
  'arrays that overlap': {
    values: 'ARRAY(SELECT generate_series(1, 3000000)) AS a, ARRAY(SELECT -generate_series(1, 3000000)) AS b',
    sql: 'SELECT a OPERATOR(pg_catalog.&&) b FROM big',
  },
  'JSON that contains JSON': {
    values: 'jsonb_agg(n) AS a, jsonb_agg(300000) AS b FROM generate_series(1, 300000) n',
    sql: 'SELECT a @> b FROM big',
  },
  'JSON paths that compare': {
    values: 'jsonb_agg(n) AS a FROM generate_series(1, 100000) n',
    sql: `SELECT jsonb_path_query_first(a, 'strict $[*] == -$[*]') FROM big`,
  },
  'keys that are removed': {
    values: `jsonb_object_agg(n, n) AS a, array_agg('k' || n) AS b FROM generate_series(1, 400000) n`,
    sql: 'SELECT a - b FROM big',
  },
  'distance of paths': {
    values: `('(' || repeat('(0,0),(1,0),', 200000) || '(0,1))')::path AS a`,
    sql: 'SELECT a <-> a FROM big',
  },
};

/** Heavy calls of functions that somebody may suspect. PostgreSQL ends each of them when it is told to. */
export const STOPPABLE = {
  'a loop': 'DO $$ BEGIN LOOP NULL; END LOOP; END $$',
  'a loop that catches': `DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(9); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$`,
  recursion: 'WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n FROM r) SELECT count(*) FROM r',
  'a regular expression': `SELECT regexp_matches(repeat('a', 5000) || 'b', '(a*)*(a*)*\\1\\2c')`,
  'LIKE with many wildcards': `SELECT repeat('a', 3000) LIKE repeat('%a', 20) || '%b'`,
  'a JSON path with a regular expression': `SELECT jsonb_path_exists(to_jsonb(repeat('a', 5000)), '$ ? (@ like_regex "(a*)*(a*)*c")')`,
  'nested wildcards of JSON paths': `SELECT jsonb_path_query((repeat('[', 500) || repeat(']', 500))::jsonb, '$.**.**.**.**.**.b')`,
  'a large power': 'SELECT length((9.99999::numeric ^ 130000)::text)',
  'a large factorial': 'SELECT length(factorial(30000)::text)',
  'a common divisor': `SELECT gcd(repeat('9', 131000)::numeric, repeat('7', 130999)::numeric)`,
  'a phrase in a text': `SELECT to_tsvector(repeat('a b ', 100000)) @@ ('a' || repeat('<->a', 3000))::tsquery`,
  'a plan of many joins': `DO $$ BEGIN SET LOCAL geqo = off; SET LOCAL join_collapse_limit = 100; SET LOCAL from_collapse_limit = 100;
    EXECUTE 'EXPLAIN SELECT 1 FROM ' || (SELECT string_agg('pg_class c' || i, ',') FROM generate_series(1, 14) i)
      || ' WHERE ' || (SELECT string_agg('c' || i || '.oid = c' || i + 1 || '.oid', ' AND ') FROM generate_series(1, 13) i); END $$`,
  'rounds of bcrypt': `SELECT crypt('x', gen_salt('bf', 31))`,
  'rounds of DES': `SELECT crypt(repeat('x', 1000), gen_salt('xdes', 16777215)) FROM generate_series(1, 100)`,
  'rounds of SHA-512': `SELECT crypt('x', '$6$rounds=999999999$abcdefgh')`,
  'a passphrase of PGP': `SELECT count(pgp_sym_encrypt('x', 'y', 's2k-count=65011712')) FROM generate_series(1, 1000)`,
  'a path of labels': `SELECT repeat('a.', 60000)::text::ltree IS NULL OR (repeat('a.', 300) || 'a')::ltree ~ (repeat('*.a.', 30) || '*.b')::lquery`,
  'distance of texts': `SELECT count(levenshtein(repeat('a', 255), repeat('b', 255))) FROM generate_series(1, 10000000)`,
  'a query of integers': `SELECT count(ARRAY[i] @@ repeat('1&', 1000)::text::query_int) FROM generate_series(1, 1) i`,
  'similarity of words': `SELECT word_similarity(repeat('abc ', 3000), repeat('abd ', 30000))`,
  'a page of a large object': `SELECT lo_put(lo_create(0), 4000000000000, 'x')`,
};
