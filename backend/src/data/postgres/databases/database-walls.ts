import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { USER_CODE_IN_AUTOVACUUM } from './user-code.js';

/**
 * The extensions that users can create: they only add types, functions and indexes. Languages are not among them,
 * because their code runs in the process of the server, which all accounts may share: `panic` of Tcl ends the server.
 */
export const ALLOWED_EXTENSIONS = [
  'btree_gin',
  'btree_gist',
  'citext',
  'cube',
  'dict_int',
  'fuzzystrmatch',
  'hstore',
  'intarray',
  'isn',
  'lo',
  'ltree',
  'pg_trgm',
  'pgcrypto',
  'plpgsql',
  'seg',
  'tablefunc',
  'tcn',
  'tsm_system_rows',
  'tsm_system_time',
  'unaccent',
  'uuid-ossp',
];

/** These locks fill the lock table, which all databases of the server share, in less than a second. */
const LOCK_FUNCTIONS = ['lock', 'xact_lock']
  .flatMap(name => [`pg_advisory_${name}`, `pg_try_advisory_${name}`])
  .flatMap(name => [name, `${name}_shared`]);

/**
 * A path of some characters lets these compute for minutes, and no cancellation stops them. Others that nothing stops
 * need megabytes of crafted values (`docs/decisions/0480-walls-in-each-database-of-a-user.md`).
 */
const UNSTOPPABLE_FUNCTIONS = ['xpath', 'xpath_exists', 'xmlexists'];

/**
 * PostgreSQL lets a read-only transaction call these, although they end other sessions of the account, write to the log,
 * change what is known of a table, or do the work of VACUUM on an index. An API key that only reads can execute any statement in such a transaction.
 */
const CHANGING_FUNCTIONS = [
  'brin_desummarize_range',
  'brin_summarize_new_values',
  'brin_summarize_range',
  'gin_clean_pending_list',
  'pg_cancel_backend',
  'pg_clear_attribute_stats',
  'pg_clear_relation_stats',
  'pg_logical_emit_message',
  'pg_restore_attribute_stats',
  'pg_restore_relation_stats',
  'pg_terminate_backend',
];

export const TAKEN_FUNCTIONS = [...LOCK_FUNCTIONS, ...UNSTOPPABLE_FUNCTIONS, ...CHANGING_FUNCTIONS];

/** Event triggers, each with a function of the same name. */
const EXTENSIONS = 'trawl_refuses_extensions';
const CODE = 'trawl_refuses_code_in_autovacuum';
/** SQL: whether an operator acts, and not autovacuum, a process of the superuser that calls functions of users. */
const BY_SUPERUSER = `EXISTS (
    SELECT 1 FROM pg_catalog.pg_roles JOIN pg_catalog.pg_stat_activity ON pid = pg_catalog.pg_backend_pid()
     WHERE rolname = session_user AND rolsuper AND backend_type = 'client backend')`;
const textArray = (names: string[]): string => `'{${names.join(',')}}'::text[]`;

/**
 * What keeps a user inside the own database. The superuser owns all of it, so users can neither change nor disable it.
 * As members of the extension `plpgsql`, which each database has, the trigger and its function are not in dumps, which
 * the role of a user restores.
 */
const WALLS = `
DO $walls$
DECLARE taken regprocedure; language name;
BEGIN
  FOR taken IN SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY (${textArray(TAKEN_FUNCTIONS)})
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', taken);
  END LOOP;
  -- An older version of Trawl allowed these languages. Their functions stay, but what executes them now reads PL/pgSQL.
  FOR language IN SELECT lanname FROM pg_language l
    JOIN pg_depend d ON d.classid = 'pg_language'::regclass AND d.objid = l.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    JOIN pg_roles r ON r.oid = extowner
    WHERE lanpltrusted AND NOT rolsuper AND extname <> ALL (${textArray(ALLOWED_EXTENSIONS)})
  LOOP
    EXECUTE format('CREATE OR REPLACE TRUSTED LANGUAGE %I HANDLER pg_catalog.plpgsql_call_handler '
      'INLINE pg_catalog.plpgsql_inline_handler VALIDATOR pg_catalog.plpgsql_validator', language);
  END LOOP;
END $walls$;
-- Temporary tables of the user come last in the path, so that they cannot take the place of the catalogs.
CREATE OR REPLACE FUNCTION pg_catalog.${EXTENSIONS}() RETURNS event_trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $function$
DECLARE refused text;
BEGIN
  SELECT string_agg(extname, ', ' ORDER BY extname) INTO refused
    FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_roles r ON r.oid = e.extowner
   WHERE NOT r.rolsuper AND extname <> ALL (${textArray(ALLOWED_EXTENSIONS)});
  IF refused IS NOT NULL AND NOT ${BY_SUPERUSER} THEN
    RAISE EXCEPTION 'Trawl does not allow the extension %.', refused USING ERRCODE = '42501',
      HINT = 'Drop it if your database has it. Allowed are ${ALLOWED_EXTENSIONS.join(', ')}.';
  END IF;
END $function$;
CREATE OR REPLACE FUNCTION pg_catalog.${CODE}() RETURNS event_trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $function$
DECLARE risk record;
BEGIN
  -- Most databases have no function of the user and no statistics of expressions, so this look is fast.
  IF NOT EXISTS (SELECT 1 FROM pg_proc p JOIN pg_roles r ON r.oid = proowner WHERE p.oid >= 16384 AND NOT rolsuper)
    AND NOT EXISTS (SELECT 1 FROM pg_statistic_ext WHERE stxexprs IS NOT NULL) OR ${BY_SUPERUSER} THEN RETURN; END IF;
  SELECT what, rel::regclass AS rel INTO risk FROM (${USER_CODE_IN_AUTOVACUUM}) risks LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Trawl does not allow this: for %, PostgreSQL could execute code of yours when it tidies and analyses the table by itself.', risk.what
      USING ERRCODE = '42501', HINT = format('Use a generated column, and index that. Or stop PostgreSQL from tidying the table by itself: ALTER TABLE %s SET (autovacuum_enabled = off); then run VACUUM ANALYZE yourself.', risk.rel);
  END IF;
END $function$;
DO $trigger$
DECLARE wall name; tags text; old regclass;
BEGIN
  FOREACH wall IN ARRAY ${textArray([EXTENSIONS, CODE])} LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_event_trigger WHERE evtname = wall) THEN
      tags := CASE wall WHEN '${EXTENSIONS}' THEN 'WHEN TAG IN (''CREATE EXTENSION'', ''ALTER EXTENSION'')' ELSE '' END;
      EXECUTE format('CREATE EVENT TRIGGER %I ON ddl_command_end %s EXECUTE FUNCTION pg_catalog.%I()', wall, tags, wall);
      EXECUTE format('ALTER EXTENSION plpgsql ADD FUNCTION pg_catalog.%I()', wall);
      EXECUTE format('ALTER EXTENSION plpgsql ADD EVENT TRIGGER %I', wall);
    END IF;
    EXECUTE format('ALTER EVENT TRIGGER %I ENABLE ALWAYS', wall);
  END LOOP;
  -- Of older versions of Trawl, and of restored databases.
  FOR old IN SELECT DISTINCT rel FROM (${USER_CODE_IN_AUTOVACUUM}) risks LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', old);
  END LOOP;
END $trigger$;`;

/** Tells databases with these walls from those with walls of another version. */
const VERSION = createHash('sha256').update(WALLS).digest('hex').slice(0, 16);

/** Puts the walls into the database of a user. `client` is as for `hasWalls`. */
export async function putUpWalls(client: ClientBase): Promise<void> {
  // In one transaction, so that the comment is there only together with the walls.
  await client.query(`${WALLS} COMMENT ON EVENT TRIGGER ${CODE} IS '${VERSION}'`);
}

/**
 * Lets statements pass that create indexes with functions of the user, until `putUpWalls`: an older backup has them.
 * @param client as for `hasWalls`.
 */
export async function allowCodeInAutovacuum(client: ClientBase): Promise<void> {
  await client.query(`ALTER EVENT TRIGGER ${CODE} DISABLE`);
}

/** @param client a connection of the superuser to the database of a user, with `pg_catalog` as `search_path`. */
export async function hasWalls(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_event_trigger WHERE evtname = ANY ($1) AND evtenabled = 'A'
     HAVING count(*) = 2 AND bool_or(obj_description(oid, 'pg_event_trigger') = $2)`,
    [[EXTENSIONS, CODE], VERSION],
  );
  return rows.length > 0;
}
