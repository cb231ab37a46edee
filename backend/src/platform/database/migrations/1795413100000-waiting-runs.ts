import type { MigrationInterface, QueryRunner } from 'typeorm';
import { quotaUsed, WEBHOOKS } from './1795316400000-notifications.js';
import { ECHO_BYTES } from './1795413000000-echo-quota.js';

/**
 * Limits how many runs of an account wait. Unlike other quotas, this one also applies to the two accounts of the first
 * start, because every waiting run costs all accounts time when a worker becomes free.
 */
export class WaitingRuns1795413100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(quotaUsed(WEBHOOKS + ECHO_BYTES + WAITING_RUNS));
    await queryRunner.query(quotaLimit("account.built_in AND quota <> 'waiting_runs'"));
    await queryRunner.query('DROP FUNCTION run_room(uuid, bigint, bigint)');
    await queryRunner.query(RUN_ROOM);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION run_room(uuid, bigint, bigint, bigint)');
    await queryRunner.query(RUN_ROOM_BEFORE);
    await queryRunner.query(quotaLimit('account.built_in'));
    await queryRunner.query(quotaUsed(WEBHOOKS + ECHO_BYTES));
  }
}

const WAITING_RUNS = `
    WHEN 'waiting_runs' THEN RETURN (SELECT count(*) FROM live_runs r WHERE r.owner_id = owner AND r.boot_id IS NULL);`;

/** The function that returns an account's limit; 0 means unlimited. */
const quotaLimit = (isUnlimited: string): string => `
CREATE OR REPLACE FUNCTION quota_limit(account users, quota text, by_default bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((account.quotas ->> quota)::bigint, CASE WHEN ${isUnlimited} THEN 0 ELSE by_default END)
$$;
`;

const ROOM_OF_LIVE_RUNS = `
  IF per_day > 0 THEN
    started_before := quota_used(owner, 'runs_per_day');
    room := greatest(per_day - started_before, 0);
    refusal := json_build_object('quota', 'runs_per_day', 'limit', per_day, 'used', greatest(started_before, per_day));
  END IF;
  IF at_once > 0 THEN
    used := quota_used(owner, 'runs_at_once');
    IF room IS NULL OR greatest(at_once - used, 0) < room THEN
      room := greatest(at_once - used, 0);
      refusal := json_build_object('quota', 'runs_at_once', 'limit', at_once, 'used', greatest(used, at_once));
    END IF;
  END IF;`;

const RUN_ROOM = `
-- Returns how many more runs the account may start now, and the refusal for the run after these; and the same for runs that
-- have to wait. started_before is today's number of starts, or null if the account has no daily limit. An account with a
-- limit on its live or daily runs stays locked until the transaction ends. For others, concurrent starts through other
-- backends can exceed the limit on waiting runs by a batch.
CREATE FUNCTION run_room(owner uuid, at_once_by_default bigint, per_day_by_default bigint, waiting_by_default bigint,
  OUT room bigint, OUT refusal json, OUT started_before bigint, OUT waiting_room bigint, OUT waiting_refusal json)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  at_once bigint;
  per_day bigint;
  waiting bigint;
  used bigint;
BEGIN
  SELECT quota_limit(u, 'runs_at_once', at_once_by_default), quota_limit(u, 'runs_per_day', per_day_by_default),
      quota_limit(u, 'waiting_runs', waiting_by_default)
    INTO at_once, per_day, waiting FROM users u WHERE u.id = owner;
  IF at_once > 0 OR per_day > 0 THEN PERFORM 1 FROM users u WHERE u.id = owner FOR NO KEY UPDATE; END IF;${ROOM_OF_LIVE_RUNS}
  IF waiting > 0 THEN
    used := (SELECT count(*) FROM (SELECT FROM live_runs r WHERE r.owner_id = owner AND r.boot_id IS NULL LIMIT waiting) w);
    waiting_room := waiting - used;
    waiting_refusal := json_build_object('quota', 'waiting_runs', 'limit', waiting, 'used', used);
  END IF;
END $$;
`;

const RUN_ROOM_BEFORE = `
CREATE FUNCTION run_room(owner uuid, at_once_by_default bigint, per_day_by_default bigint,
  OUT room bigint, OUT refusal json, OUT started_before bigint)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  at_once bigint;
  per_day bigint;
  used bigint;
BEGIN
  SELECT quota_limit(u, 'runs_at_once', at_once_by_default), quota_limit(u, 'runs_per_day', per_day_by_default)
    INTO at_once, per_day FROM users u WHERE u.id = owner;
  IF at_once = 0 AND per_day = 0 THEN RETURN; END IF;
  PERFORM 1 FROM users u WHERE u.id = owner FOR NO KEY UPDATE;${ROOM_OF_LIVE_RUNS}
END $$;
`;
