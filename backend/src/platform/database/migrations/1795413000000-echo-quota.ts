import type { MigrationInterface, QueryRunner } from 'typeorm';
import { quotaUsed, WEBHOOKS } from './1795316400000-notifications.js';

/**
 * Limits how many bytes the runs of an account save in a day, and tells the account before the limit. A chunk of echoes
 * above the limit becomes a single row that names the limit; `echo_chunks.is_dropped` marks it.
 */
export class EchoQuota1795413000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(FUNCTIONS);
    await queryRunner.query(quotaUsed(WEBHOOKS + ECHO_BYTES));
    await queryRunner.query(emailEvents("'schedule.missed', 'schedule.problem', 'quota.warning'"));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(emailEvents("'schedule.missed', 'schedule.problem'"));
    await queryRunner.query(quotaUsed(WEBHOOKS));
    await queryRunner.query(
      'DROP FUNCTION save_echo_chunk(uuid, uuid, integer, integer, integer, bytea, bigint), count_saved_bytes(uuid, bigint, bigint)',
    );
    await queryRunner.query('DROP TABLE daily_saved_bytes');
    await queryRunner.query('ALTER TABLE echo_chunks DROP COLUMN is_dropped');
  }
}

const TABLES = `
ALTER TABLE echo_chunks ADD COLUMN is_dropped boolean NOT NULL DEFAULT false;

-- Bytes of echoes, compressed, and of outputs that the runs of an account saved on its last day with runs.
CREATE TABLE daily_saved_bytes (
  owner_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  day date NOT NULL,
  bytes bigint NOT NULL
) WITH (fillfactor = 50);
`;

const FUNCTIONS = `
-- Adds to today's bytes of an account and returns them. Records an event when they pass 80 % of the limit, and at the limit.
-- The row stays locked until the transaction ends.
CREATE FUNCTION count_saved_bytes(owner uuid, added bigint, by_default bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  most bigint := (SELECT quota_limit(u, 'echo_bytes_per_day', by_default) FROM users u WHERE u.id = owner);
  total bigint;
  percent integer;
BEGIN
  INSERT INTO daily_saved_bytes AS d (owner_id, day, bytes)
  SELECT u.id, utc_today(), added FROM users u WHERE u.id = owner
  ON CONFLICT (owner_id) DO UPDATE SET day = EXCLUDED.day,
    bytes = EXCLUDED.bytes + CASE WHEN d.day = EXCLUDED.day THEN d.bytes ELSE 0 END
  RETURNING bytes INTO total;
  percent := CASE WHEN total >= most AND total - added < most THEN 100
    WHEN total >= most * 0.8 AND total - added < most * 0.8 THEN 80 END;
  IF most > 0 AND percent IS NOT NULL THEN
    PERFORM record_events(ARRAY[owner], ARRAY['quota.warning'], ARRAY[json_build_object(
      'quota', json_build_object('name', 'echo_bytes_per_day', 'limit', most, 'used', total), 'percent', percent)]);
  END IF;
  RETURN total;
END $$;

-- Saves a chunk and counts its bytes. Returns null; or the refusal, if the account had already used up its quota before this
-- chunk. Does nothing if the chunk is saved, or if the run was deleted or belongs to another worker.
CREATE FUNCTION save_echo_chunk(run uuid, worker uuid, chunk integer, first_seq integer, last_seq integer, data bytea,
  by_default bigint) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  owner uuid := (SELECT e.owner_id FROM executions e WHERE e.id = run AND e.worker_id = worker);
  most bigint := (SELECT quota_limit(u, 'echo_bytes_per_day', by_default) FROM users u WHERE u.id = owner);
  used bigint;
BEGIN
  IF owner IS NULL OR EXISTS (SELECT FROM echo_chunks c WHERE c.execution_id = run AND c.n = chunk) THEN RETURN NULL; END IF;
  IF most > 0 THEN
    used := count_saved_bytes(owner, 0, by_default);
    IF used >= most THEN
      RETURN json_build_object('quota', 'echo_bytes_per_day', 'limit', most, 'used', used);
    END IF;
  END IF;
  INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, gz) VALUES (run, chunk, first_seq, last_seq, data)
  ON CONFLICT (execution_id, n) DO NOTHING;
  IF FOUND THEN PERFORM count_saved_bytes(owner, length(data), by_default); END IF;
  RETURN NULL;
END $$;
`;

export const ECHO_BYTES = `
    WHEN 'echo_bytes_per_day' THEN
      RETURN coalesce((SELECT d.bytes FROM daily_saved_bytes d WHERE d.owner_id = owner AND d.day = utc_today()), 0);`;

/** The function that returns which events an account gets by e-mail. `byDefault` are those of accounts without a choice. */
const emailEvents = (byDefault: string): string => `
CREATE OR REPLACE FUNCTION email_events_of(account uuid) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT COALESCE((SELECT email_events FROM notification_settings WHERE user_id = account), ARRAY[${byDefault}])
$$;
`;
