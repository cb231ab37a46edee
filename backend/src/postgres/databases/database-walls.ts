import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';

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

const NAME = 'trawl_refuses_extensions';
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
CREATE OR REPLACE FUNCTION pg_catalog.${NAME}() RETURNS event_trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $function$
DECLARE refused text;
BEGIN
  SELECT string_agg(extname, ', ' ORDER BY extname) INTO refused
    FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_roles r ON r.oid = e.extowner
   WHERE NOT r.rolsuper AND extname <> ALL (${textArray(ALLOWED_EXTENSIONS)});
  IF refused IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = session_user AND rolsuper) THEN
    RAISE EXCEPTION 'Trawl does not allow the extension %.', refused USING ERRCODE = '42501',
      HINT = 'Drop it if your database has it. Allowed are ${ALLOWED_EXTENSIONS.join(', ')}.';
  END IF;
END $function$;
DO $trigger$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_event_trigger WHERE evtname = '${NAME}') THEN
    CREATE EVENT TRIGGER ${NAME} ON ddl_command_end WHEN TAG IN ('CREATE EXTENSION', 'ALTER EXTENSION')
      EXECUTE FUNCTION pg_catalog.${NAME}();
    ALTER EXTENSION plpgsql ADD FUNCTION pg_catalog.${NAME}();
    ALTER EXTENSION plpgsql ADD EVENT TRIGGER ${NAME};
  END IF;
END $trigger$;
ALTER EVENT TRIGGER ${NAME} ENABLE ALWAYS;`;

/** Tells databases with these walls from those with walls of another version. */
const VERSION = createHash('sha256').update(WALLS).digest('hex').slice(0, 16);

/** Puts the walls into the database of a user. `client` is as for `hasWalls`. */
export async function putUpWalls(client: ClientBase): Promise<void> {
  // In one transaction, so that the comment is there only together with the walls.
  await client.query(`${WALLS} COMMENT ON EVENT TRIGGER ${NAME} IS '${VERSION}'`);
}

/** @param client a connection of the superuser to the database of a user, with `pg_catalog` as `search_path`. */
export async function hasWalls(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_event_trigger
      WHERE evtname = $1 AND evtenabled = 'A' AND obj_description(oid, 'pg_event_trigger') = $2`,
    [NAME, VERSION],
  );
  return rows.length > 0;
}
