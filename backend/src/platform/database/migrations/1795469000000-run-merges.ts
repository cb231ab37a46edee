import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The function writes notices of all events but those that this condition leaves out. */
const noticesUnless = (condition: string): string => `
      CREATE OR REPLACE FUNCTION record_notices(owners uuid[], events text[], data json[]) RETURNS void LANGUAGE sql AS $$
        INSERT INTO notices (owner_id, event, payload)
        SELECT e.owner_id, e.event, e.data
        FROM unnest(owners, events, data) AS e(owner_id, event, data)
          JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL
        WHERE NOT (${condition});
      $$;`;

/**
 * Runs that have ended well and may have rows with a key, which become items. `waiting` for a good verdict, then `due`,
 * then `merged`, or `older` if a later run was merged first. `first_id` is the run's first attempt; the counts are those
 * of its changes. `rows.changed` is an event of a single run, so it writes no notice.
 */
export class RunMerges1795469000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE run_merges (
        execution_id uuid PRIMARY KEY,
        skript_id uuid NOT NULL,
        first_id uuid NOT NULL,
        input_key text NOT NULL,
        ended_at timestamptz NOT NULL DEFAULT now(),
        state text NOT NULL DEFAULT 'waiting',
        started_at timestamptz,
        added integer NOT NULL DEFAULT 0,
        changed integer NOT NULL DEFAULT 0,
        gone integer NOT NULL DEFAULT 0,
        back integer NOT NULL DEFAULT 0
      );
      CREATE INDEX run_merges_due ON run_merges (skript_id, execution_id) WHERE state = 'due';
      CREATE INDEX run_merges_merged ON run_merges (skript_id, execution_id DESC) WHERE state = 'merged';
      ${noticesUnless(`e.event LIKE 'run.%' OR e.event = 'rows.changed'`)}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE run_merges; ${noticesUnless(`e.event LIKE 'run.%'`)}`);
  }
}
