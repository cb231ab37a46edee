import { asSuperuser, databaseOf, removeWalls } from '../../../../test/servers/user-postgres.js';
import { appForFile } from '../../../../test/test-app.js';
import { UserServerService } from '../server/user-server.service.js';
import { UserSessionsService } from '../sessions/user-sessions.service.js';
import { ALLOWED_EXTENSIONS, TAKEN_FUNCTIONS } from './database-walls.js';

const { app, developer } = appForFile();

const query = (sql: string) => developer('POST', '/joint-api/postgres/query', { sql, read_only: false });
const name = () => databaseOf(app, 'developer');
/** Closes the sessions of the account, so that its next call opens the database as after a start of the backend. */
const forget = async () => {
  const [row] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  await app.part(UserSessionsService).close(String(row?.id));
};

beforeAll(async () => expect((await query('SELECT 1')).status).toBe(200));

it('users can create every PostgreSQL extension on the allowed list, and no other', async () => {
  const { body } = await query(
    `SELECT v.name, v.trusted AND NOT EXISTS (SELECT 1 FROM pg_available_extension_versions r
        WHERE r.name = ANY (v.requires) AND NOT r.trusted)
       FROM pg_available_extension_versions v JOIN pg_available_extensions e
         ON e.name = v.name AND v.version = e.default_version`,
  );
  const trusted = new Set(body.rows.filter((row: unknown[]) => row[1]).map(([extension]: [string]) => extension));
  expect(trusted).toContain('pltcl');
  for (const extension of ALLOWED_EXTENSIONS) expect([...trusted]).toContain(extension);
  for (const extension of trusted) {
    const created = await query(`CREATE EXTENSION IF NOT EXISTS "${extension}"`);
    const isAllowed = ALLOWED_EXTENSIONS.includes(String(extension));
    expect({ extension, isAllowed: created.status === 200 }).toEqual({ extension, isAllowed });
  }
  const languages = await query('SELECT lanname FROM pg_language ORDER BY 1');
  expect(languages.body.rows.flat()).toEqual(['c', 'internal', 'plpgsql', 'sql']);
});

it('users cannot create a PostgreSQL language, nor disable the event trigger that refuses it', async () => {
  const trigger = 'trawl_refuses_extensions';
  await query(
    'CREATE TABLE public.pg_extension AS SELECT oid, extname, 10::oid AS extowner FROM pg_catalog.pg_extension',
  );
  for (const [sql, sqlstate] of [
    ['CREATE EXTENSION pltcl', '42501'],
    ['CREATE EXTENSION IF NOT EXISTS pltcl CASCADE', '42501'],
    ['CREATE LANGUAGE pltcl', '42501'],
    ['CREATE OR REPLACE TRUSTED LANGUAGE mine HANDLER plpgsql_call_handler', '42501'],
    [`DO $$ BEGIN EXECUTE 'CREATE EXTENSION pltcl'; END $$`, '42501'],
    [
      `DO $$ BEGIN CREATE TEMP TABLE pg_extension (oid oid, extname name, extowner oid);
        CREATE TEMP TABLE pg_roles (oid oid, rolsuper bool);
        PERFORM set_config('search_path', 'pg_temp, public, pg_catalog', false);
        EXECUTE 'CREATE EXTENSION pltcl SCHEMA pg_catalog'; END $$`,
      '42501',
    ],
    [`DO $$ BEGIN SET LOCAL check_function_bodies = off; CREATE EXTENSION pltcl; END $$`, '42501'],
    [`DO $$ BEGIN SET LOCAL session_replication_role = replica; CREATE EXTENSION pltcl; END $$`, '42501'],
    [`DO $$ BEGIN SET LOCAL event_triggers = off; CREATE EXTENSION pltcl; END $$`, '42501'],
    [`DROP EVENT TRIGGER ${trigger}`, '42501'],
    [`ALTER EVENT TRIGGER ${trigger} DISABLE`, '42501'],
    [`ALTER EVENT TRIGGER ${trigger} OWNER TO CURRENT_USER`, '42501'],
    [`COMMENT ON EVENT TRIGGER ${trigger} IS ''`, '42501'],
    [`DROP FUNCTION pg_catalog.${trigger}()`, '42501'],
    [`ALTER FUNCTION pg_catalog.${trigger}() SET search_path = public`, '42501'],
    [
      `CREATE OR REPLACE FUNCTION pg_catalog.${trigger}() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'`,
      '42501',
    ],
    [`ALTER EXTENSION plpgsql DROP EVENT TRIGGER ${trigger}`, '42501'],
    ['DROP EXTENSION plpgsql CASCADE', '42501'],
    [`ALTER EXTENSION plpgsql UPDATE`, '42501'],
    ['REASSIGN OWNED BY CURRENT_USER TO pg_database_owner', '42501'],
    [`GRANT EXECUTE ON FUNCTION pg_catalog.xpath(text, xml) TO CURRENT_USER`, '42501'],
    ['ALTER FUNCTION pg_catalog.xpath(text, xml) OWNER TO CURRENT_USER', '42501'],
  ] as const) {
    const { body } = await query(sql);
    expect({ sql, state: body.details?.sqlstate ?? body }).toEqual({ sql, state: sqlstate });
  }
  const caught = await query(`DO $$ BEGIN
    BEGIN CREATE EXTENSION pltcl; EXCEPTION WHEN OTHERS THEN NULL; END;
    CREATE FUNCTION end_all() RETURNS int LANGUAGE pltcl AS 'panic'; END $$`);
  expect(caught.body.details).toMatchObject({ sqlstate: '42704' });
  const refused = await query('CREATE EXTENSION pltcl');
  expect(refused.body.error_message).toContain('Trawl does not allow the extension pltcl. Drop it if');
  await query('DROP TABLE public.pg_extension');
});

it('users cannot execute the PostgreSQL functions that Trawl revoked, such as xpath', async () => {
  const { body } = await query(
    `SELECT proname, bool_or(has_function_privilege(oid, 'EXECUTE')) FROM pg_proc
      WHERE proname = ANY ('{${TAKEN_FUNCTIONS.join(',')}}') GROUP BY 1 ORDER BY 1`,
  );
  expect(body.rows).toEqual([...TAKEN_FUNCTIONS].sort().map(taken => [taken, false]));
  for (const sql of [
    `SELECT xpath('//a', '<a/>'::xml)`,
    `SELECT xpath_exists('//a', '<a/>'::xml, '{}')`,
    `SELECT XMLEXISTS('//a' PASSING ('<a/>'::xml))`,
  ]) {
    expect({ sql, ...(await query(sql)).body.details }).toEqual({ sql, sqlstate: '42501' });
  }
  const table = await query(`SELECT * FROM XMLTABLE('//a' PASSING ('<r><a>1</a></r>'::xml) COLUMNS n int PATH '.')`);
  expect(table.body.rows).toEqual([[1]]);
});

/** Volatile functions that users may execute. None of them harms the work or the data of another account. */
const REVIEWED = [
  // The server of an account has no replication slots, and a user's role has no right to them.
  /^pg_.*(replication_slot|logical_slot).*$/,
  // Only pg_upgrade uses these.
  /^(binary_upgrade_.*|pg_nextoid|pg_stop_making_pinned_objects|pg_import_system_collations)$/,
  // A read-only transaction refuses those that change something: large objects and sequences.
  /^(lo_.*|loread|lowrite|nextval|setval|currval|lastval|pg_sequence_last_value|pg_get_sequence_data)$/,
  // VACUUM does the same.
  /^(brin_summarize_(new_values|range)|gin_clean_pending_list)$/,
  // Settings of the own session.
  /^(set_config|setseed|pg_advisory_unlock.*|pg_stat_clear_snapshot|pg_stat_force_next_flush|pg_export_snapshot)$/,
  /^(pg_notify|pg_sleep(_for|_until)?)$/,
  // They execute a statement, under the rules of its transaction.
  /^(cursor_to_xml(schema)?|query_to_xml.*|ts_stat|ts_rewrite)$/,
  // The remaining functions only read.
  /^(pg_control_.*|pg_stat_get_.*|pg_(current|last|get)_(wal|xact|committed)_.*|pg_.*(size|version|pids|usage|blocked|paused))$/,
  /^(pg_available_wal_summaries|pg_wal_summary_contents|pg_extension_config_dump|pg_get_(loaded_modules|multixact_members))$/,
  /^(pg_(get_wait_events|is_in_recovery|jit_available|lock_status|partition_ancestors|partition_tree|prepared_xact|xact_.*))$/,
  /^(txid_status|current_query|currtid2|clock_timestamp|timeofday|gen_random_uuid|uuidv[47]|random|random_normal)$/,
  /^(array_sample|array_shuffle|bernoulli|system|amvalidate|dsnowball_.*|.*handler|plpgsql_(inline_handler|validator))$/,
];

it('users can execute no volatile PostgreSQL function that is missing from the reviewed list', async () => {
  const { body } = await query(
    `SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile = 'v'
        AND prokind = 'f' AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
        AND has_function_privilege(oid, 'EXECUTE') ORDER BY 1`,
  );
  const names: string[] = body.rows.flat();
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter(one => !REVIEWED.some(pattern => pattern.test(one)))).toEqual([]);
});

it('the first call protects a database of an older version, and its Tcl functions no longer execute Tcl', async () => {
  await removeWalls(app, await name());
  for (const sql of [
    'CREATE EXTENSION pltcl',
    `CREATE FUNCTION old_tcl(n int) RETURNS int LANGUAGE pltcl AS 'return [expr $1 + 1]'`,
    'CREATE TABLE computed (n int DEFAULT old_tcl(1))',
    'CREATE TABLE kept AS SELECT old_tcl(1) AS n',
  ]) {
    expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
  }
  await forget();
  expect((await query('SELECT n FROM kept')).body.rows).toEqual([[2]]);
  for (const sql of ['SELECT old_tcl(1)', 'INSERT INTO computed DEFAULT VALUES', 'DO LANGUAGE pltcl $$ panic x $$']) {
    expect({ sql, ...(await query(sql)).body.details }).toMatchObject({ sql, sqlstate: '42601' });
  }
  expect((await query(`SELECT xpath('/a', '<a/>'::xml)`)).body.details).toEqual({ sqlstate: '42501' });
  await query('DROP EXTENSION IF EXISTS citext CASCADE');
  expect((await query('CREATE EXTENSION citext')).body.error_message).toContain('the extension pltcl');
  expect((await query('DROP EXTENSION pltcl CASCADE')).status).toBe(200);
  expect((await query('CREATE EXTENSION citext')).status).toBe(200);
});

describe('autovacuum', () => {
  const SAYS = 'PostgreSQL could execute code of yours when it tidies';

  beforeAll(async () => {
    for (const sql of [
      'CREATE FUNCTION mine(n int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT n $$',
      'CREATE FUNCTION is_mine(n int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN true; END $$',
      'CREATE OPERATOR ?? (RIGHTARG = int, FUNCTION = is_mine)',
      'CREATE FUNCTION distance(a int8, b int8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT 1.0 $$',
      'CREATE TYPE span AS RANGE (subtype = int8, subtype_diff = distance, multirange_type_name = spans)',
      'CREATE DOMAIN of_span AS span',
      'CREATE DOMAIN checked AS int CHECK (is_mine(value))',
      'CREATE DOMAIN twice AS checked',
      'CREATE TYPE pair AS (one int, other twice)',
      'CREATE EXTENSION IF NOT EXISTS hstore',
      'CREATE EXTENSION IF NOT EXISTS citext',
      'CREATE TABLE t (n int, c citext, h hstore)',
      `CREATE TYPE told AS ENUM ('a')`,
      'CREATE FUNCTION told_json(told) RETURNS json IMMUTABLE LANGUAGE sql AS $$ SELECT NULL::json $$',
      'CREATE CAST (told AS json) WITH FUNCTION told_json(told)',
      'CREATE TABLE tells (n int, x told)',
      'CREATE VIEW v AS SELECT mine(1)',
      'CREATE OPERATOR ?@ (LEFTARG = tsquery, RIGHTARG = text, FUNCTION = ts_rewrite)',
      'CREATE TABLE parent (n int) PARTITION BY RANGE (n)',
    ])
      expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
  });
  afterAll(async () => {
    expect((await query('DROP TABLE t, parent, tells CASCADE')).status).toBe(200);
    expect((await query('DROP FUNCTION mine, is_mine, distance, told_json CASCADE')).status).toBe(200);
  });

  it.each([
    'CREATE INDEX ON t (mine(n))',
    'CREATE INDEX ON t (n) WHERE is_mine(n)',
    'CREATE INDEX ON t ((?? n))',
    'CREATE INDEX ON t ((n::checked))',
    'CREATE INDEX ON t ((n::twice))',
    'CREATE INDEX ON t ((ARRAY[n]::twice[]))',
    'CREATE INDEX ON t (((populate_record(NULL::pair, h)).one))',
    'CREATE STATISTICS ON (mine(n)), n FROM t',
    'CREATE STATISTICS ON (span(n, n)), n FROM t',
    'CREATE INDEX ON t (span(n, n))',
    `CREATE STATISTICS ON (length(query_to_xml('select mine(1)', true, true, '')::text)), n FROM t`,
    `CREATE STATISTICS ON (table_to_xml('v'::regclass, true, true, '')::text), n FROM t`,
    `CREATE STATISTICS ON (('a'::tsquery ?@ 'select mine(1)')::text), n FROM t`,
    `CREATE STATISTICS ON (pg_input_is_valid('1', 'checked')), n FROM t`,
    `CREATE STATISTICS ON (to_jsonb(x)), n FROM tells`,
    'CREATE INDEX ON tells ((JSON_ARRAY(x RETURNING text)))',
    `CREATE INDEX ON t ((JSON_ARRAY(CASE WHEN n > 0 THEN 'a'::told END RETURNING text)))`,
    'CREATE STATISTICS ON (JSON_ARRAY(ROW(n, x) RETURNING text)), n FROM tells',
    `DO $$ BEGIN SET LOCAL standard_conforming_strings = off; CREATE STATISTICS ON (clock_timestamp()), n FROM t; END $$`,
    'ALTER TABLE t ADD EXCLUDE USING btree (mine(n) WITH =)',
    'ALTER TABLE t ADD s span',
    'ALTER TABLE t ADD s spans',
    'ALTER TABLE t ADD s of_span',
    'CREATE TABLE u AS SELECT span(1, 2) AS s',
    'CREATE MATERIALIZED VIEW u AS SELECT span(1, 2) AS s',
    'CREATE SCHEMA inside CREATE TABLE u (n int) CREATE INDEX ON u (public.mine(n))',
    `DO $$ BEGIN CREATE TABLE part PARTITION OF parent FOR VALUES FROM (1) TO (2); CREATE INDEX ON parent (mine(n)); END $$`,
    `DO $$ BEGIN SET LOCAL event_triggers = off; CREATE INDEX ON t (mine(n)); END $$`,
    `DO $$ BEGIN SET LOCAL session_replication_role = replica; CREATE INDEX ON t (mine(n)); END $$`,
    `DO $$ BEGIN CREATE TEMP TABLE pg_index (oid oid); SET LOCAL search_path = pg_temp, pg_catalog, public;
       CREATE INDEX ON public.t (public.mine(n)); END $$`,
    `DO $$ BEGIN
       ALTER TABLE t SET (autovacuum_enabled = off); CREATE INDEX ON t (mine(n)); ALTER TABLE t RESET (autovacuum_enabled); END $$`,
  ])('never calls a function of a user, because Trawl refuses %s', async sql => {
    const { status, body } = await query(sql);
    expect({ status, ...body }).toMatchObject({ status: 422 });
    expect(body.details?.sqlstate ?? body).toBe('42501');
  });

  it('stays off for a table whose indexes call functions of a user, and the user can VACUUM that table', async () => {
    for (const sql of [
      'ALTER TABLE t ADD g int GENERATED ALWAYS AS (mine(n)) STORED',
      'CREATE INDEX ON t (g)',
      'CREATE STATISTICS ON (n % 10), (n + g) FROM t',
      'CREATE INDEX ON t (lower(c), (c || c))',
      'CREATE TABLE own (n int, s span) WITH (autovacuum_enabled = false)',
      'CREATE INDEX ON own (mine(n))',
      'INSERT INTO own VALUES (1)',
      'VACUUM ANALYZE own',
      'DO $$ BEGIN CREATE TEMP TABLE passing (n int); CREATE INDEX ON passing (mine(n)); END $$',
    ])
      expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
    for (const sql of [
      'ALTER TABLE own SET (autovacuum_enabled = true)',
      'ALTER TABLE own RESET (autovacuum_enabled)',
    ]) {
      const { body } = await query(sql);
      expect({ sql, message: body.error_message }).toEqual({ sql, message: expect.stringContaining(SAYS) });
    }
    expect((await query('DROP TABLE own')).status).toBe(200);
  });

  it('is turned off for tables of an older version whose indexes call functions of a user', async () => {
    await removeWalls(app, await name());
    expect((await query('CREATE TABLE old AS SELECT 1 AS n')).status).toBe(200);
    expect((await query('CREATE INDEX ON old (mine(n))')).status).toBe(200);
    await forget();
    const options = await query(`SELECT reloptions FROM pg_class WHERE relname = 'old'`);
    expect(options.body.rows).toEqual([['{autovacuum_enabled=off}']]);
    expect((await query('ALTER TABLE old RESET (autovacuum_enabled)')).body.error_message).toContain(SAYS);
    expect((await query('DROP TABLE old')).status).toBe(200);
  });
});

it('an operator can create an extension that users may not create, such as pltcl, for an account', async () => {
  const database = await name();
  await asSuperuser(app, database, client => client.query('CREATE EXTENSION pltcl'));
  expect((await query(`CREATE FUNCTION theirs() RETURNS int LANGUAGE pltcl AS 'return 1'`)).status).toBe(200);
  expect((await query('DROP EXTENSION IF EXISTS seg CASCADE')).status).toBe(200);
  expect((await query('CREATE EXTENSION seg')).status).toBe(200);
});

it('Trawl does not protect a database again that is already protected', async () => {
  const maintain = jest.spyOn(app.part(UserServerService), 'maintainAlone');
  await forget();
  expect((await query('SELECT 1')).status).toBe(200);
  expect(maintain).not.toHaveBeenCalled();
  jest.restoreAllMocks();
});
