import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A bundle has the inputs and the manifest that the skript's files name, so a change of them makes the bundle stale. A
 * trigger notices every change, whichever route makes it.
 */
export class StaleValues1795316910000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE FUNCTION skript_names(skript uuid, value_name text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM skript_files WHERE skript_id = skript AND strpos(content, value_name) > 0)
$$;

CREATE FUNCTION skript_values_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE skripts SET stale = true WHERE id = OLD.skript_id AND NOT stale AND skript_names(OLD.skript_id, OLD.name);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE skripts SET stale = true WHERE id = NEW.skript_id AND NOT stale AND skript_names(NEW.skript_id, NEW.name);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER inputs_changed AFTER INSERT OR UPDATE OF name, val OR DELETE ON inputs
  FOR EACH ROW EXECUTE FUNCTION skript_values_changed();

CREATE FUNCTION skript_manifest_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stale := NEW.stale OR skript_names(NEW.id, 'manifest.json');
  RETURN NEW;
END $$;
CREATE TRIGGER skripts_manifest_changed BEFORE UPDATE OF title, description, thumbnail, category, environment,
    worker_response_timeout, time_limit_ms, warm, retries, retry_delay_ms, input_schema ON skripts
  FOR EACH ROW WHEN (
    (OLD.title, OLD.description, OLD.thumbnail, OLD.category, OLD.environment, OLD.worker_response_timeout,
      OLD.time_limit_ms, OLD.warm, OLD.retries, OLD.retry_delay_ms, OLD.input_schema::text) IS DISTINCT FROM
    (NEW.title, NEW.description, NEW.thumbnail, NEW.category, NEW.environment, NEW.worker_response_timeout,
      NEW.time_limit_ms, NEW.warm, NEW.retries, NEW.retry_delay_ms, NEW.input_schema::text)
  ) EXECUTE FUNCTION skript_manifest_changed();
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
DROP TRIGGER skripts_manifest_changed ON skripts;
DROP TRIGGER inputs_changed ON inputs;
DROP FUNCTION skript_manifest_changed();
DROP FUNCTION skript_values_changed();
DROP FUNCTION skript_names(uuid, text);
`);
  }
}
