import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The statement that this migration adds to `record_events`. */
const STATEMENT = ' SELECT record_notices(owners, events, data);';

/**
 * Notices: what the panel's bell shows. `record_events` writes one for each event that is not about a single run. For
 * failed runs, the code that counts issues writes one when an issue is new or comes back.
 */
export class Notices1795465500000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- No foreign key, so that an event locks no account.
      CREATE TABLE notices (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        owner_id uuid NOT NULL,
        event text NOT NULL,
        payload json NOT NULL,
        read_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX notices_owner ON notices (owner_id, created_at DESC, id DESC);
      CREATE INDEX notices_unread ON notices (owner_id) WHERE read_at IS NULL;
      CREATE INDEX notices_age ON notices (created_at);

      CREATE FUNCTION record_notices(owners uuid[], events text[], data json[]) RETURNS void LANGUAGE sql AS $$
        INSERT INTO notices (owner_id, event, payload)
        SELECT e.owner_id, e.event, e.data
        FROM unnest(owners, events, data) AS e(owner_id, event, data)
          JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL
        WHERE e.event NOT LIKE 'run.%';
      $$;

      -- Backends tell the panels of these accounts.
      CREATE FUNCTION tell_of_notices() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('trawl_notices', owner_id::text) FROM (SELECT DISTINCT owner_id FROM added) owners;
        RETURN NULL;
      END $$;
      CREATE TRIGGER notices_added AFTER INSERT ON notices REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION tell_of_notices();`);
    await this.#changeRecordEvents(queryRunner, body => `${body}${STATEMENT}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await this.#changeRecordEvents(queryRunner, body => body.replace(STATEMENT, ''));
    await queryRunner.query(`
      DROP TABLE notices;
      DROP FUNCTION record_notices(uuid[], text[], json[]);
      DROP FUNCTION tell_of_notices();`);
  }

  /** Creates the function again with another body, so that it keeps what earlier migrations gave it. */
  async #changeRecordEvents(queryRunner: QueryRunner, change: (body: string) => string): Promise<void> {
    const [{ body }] = await queryRunner.query(
      `SELECT prosrc AS body FROM pg_proc WHERE oid = 'record_events(uuid[], text[], json[])'::regprocedure`,
    );
    await queryRunner.query(
      `CREATE OR REPLACE FUNCTION record_events(owners uuid[], events text[], data json[]) RETURNS void LANGUAGE sql
       AS $body$${change(body)}$body$`,
    );
  }
}
