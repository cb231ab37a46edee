import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Jobs of the platform, which no account owns. The databases and collections that are to be dropped become such jobs. In
 * place of their tables there are views, so that backends of the version before can still add to them.
 */
export class PlatformJobs1795456000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
-- lane: jobs of a kind with the same lane share the limit of the kind. run_at: when the job may begin.
ALTER TABLE jobs ALTER COLUMN owner_id DROP NOT NULL, ALTER COLUMN id SET DEFAULT gen_random_uuid(),
  ADD COLUMN lane text NOT NULL DEFAULT '', ADD COLUMN run_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX jobs_platform ON jobs (kind, run_at) WHERE ended_at IS NULL AND owner_id IS NULL;

CREATE FUNCTION publish_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  own uuid := nullif(current_setting('trawl.backend', true), '');
BEGIN
  -- No notification for jobs of the platform: the transactions that add them must not wait for others.
  IF EXISTS (SELECT FROM new_jobs WHERE owner_id IS NOT NULL) AND other_backends(own) THEN
    PERFORM pg_notify('trawl_jobs', coalesce(own::text, ''));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_inserted AFTER INSERT ON jobs REFERENCING NEW TABLE AS new_jobs
  FOR EACH STATEMENT EXECUTE FUNCTION publish_jobs();

INSERT INTO jobs (kind, params, run_at)
  SELECT 'mongo_drop', json_build_object('db_name', db_name), deleted_at + interval '2 minutes' FROM mongo_drops
  UNION ALL SELECT 'mongo_collection_drop', json_build_object('db_name', db_name, 'collection', collection),
    deleted_at + interval '2 minutes' FROM mongo_collection_drops
  UNION ALL SELECT 'postgres_drop', json_build_object('name', name), deleted_at + interval '2 minutes' FROM postgres_drops;
DROP TABLE mongo_drops, mongo_collection_drops, postgres_drops;

${viewOfDrops('mongo_drops', 'mongo_drop', ['db_name'])}
${viewOfDrops('mongo_collection_drops', 'mongo_collection_drop', ['db_name', 'collection'])}
${viewOfDrops('postgres_drops', 'postgres_drop', ['name'])}
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
DROP VIEW mongo_drops, mongo_collection_drops, postgres_drops;
DROP FUNCTION add_mongo_drops(), add_mongo_collection_drops(), add_postgres_drops();
CREATE TABLE mongo_drops (db_name text PRIMARY KEY, deleted_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE mongo_collection_drops (db_name text, collection text, deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (db_name, collection));
CREATE TABLE postgres_drops (name text PRIMARY KEY, deleted_at timestamptz NOT NULL DEFAULT now());
INSERT INTO mongo_drops (db_name) SELECT params ->> 'db_name' FROM jobs WHERE kind = 'mongo_drop' ON CONFLICT DO NOTHING;
INSERT INTO mongo_collection_drops (db_name, collection)
  SELECT params ->> 'db_name', params ->> 'collection' FROM jobs WHERE kind = 'mongo_collection_drop' ON CONFLICT DO NOTHING;
INSERT INTO postgres_drops (name) SELECT params ->> 'name' FROM jobs WHERE kind = 'postgres_drop' ON CONFLICT DO NOTHING;
DELETE FROM jobs WHERE owner_id IS NULL;
DROP TRIGGER jobs_inserted ON jobs;
DROP FUNCTION publish_jobs();
DROP INDEX jobs_platform;
ALTER TABLE jobs ALTER COLUMN owner_id SET NOT NULL, ALTER COLUMN id DROP DEFAULT, DROP COLUMN lane, DROP COLUMN run_at;
`);
  }
}

/** A view to which rows can be added, and which shows none: the backends of this version carry the drops out. */
function viewOfDrops(name: string, kind: string, columns: string[]): string {
  const parameters = columns.map(column => `'${column}', NEW.${column}`).join(', ');
  return `
CREATE VIEW ${name} AS SELECT ${columns.map(column => `NULL::text AS ${column}`).join(', ')}, now() AS deleted_at WHERE false;
CREATE FUNCTION add_${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (kind, params, run_at) VALUES ('${kind}', json_build_object(${parameters}), now() + interval '2 minutes');
  RETURN NEW;
END $$;
CREATE TRIGGER ${name}_added INSTEAD OF INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION add_${name}();`;
}
