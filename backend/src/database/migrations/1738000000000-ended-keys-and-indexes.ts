import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EndedKeysAndIndexes1738000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// A key that has expired has no place in the quota. The indexes are for the list of fires by outcome, nearly all of which are
// `fired`, and for the removal of old keys of starts.
const up = `
CREATE INDEX schedule_fires_others ON schedule_fires (schedule_id, outcome, fire_at DESC) WHERE outcome <> 'fired';
CREATE INDEX start_keys_age ON start_keys (created_at);

CREATE OR REPLACE FUNCTION quota_used(owner uuid, quota text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  CASE quota
    WHEN 'skripts' THEN RETURN (SELECT count(*) FROM skripts s WHERE s.owner_id = owner);
    WHEN 'file_bytes' THEN
      RETURN (SELECT coalesce(sum(f.size), 0) FROM skripts s JOIN skript_files f ON f.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'inputs' THEN
      RETURN (SELECT count(*) FROM skripts s JOIN inputs i ON i.skript_id = s.id WHERE s.owner_id = owner)
        + (SELECT count(*) FROM skripts s JOIN input_secrets i ON i.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'runs_at_once' THEN RETURN (SELECT count(*) FROM live_runs r WHERE r.owner_id = owner);
    -- Accounts without a limit have no row in daily_runs; a retry belongs to the start that it repeats.
    WHEN 'runs_per_day' THEN
      RETURN coalesce((SELECT d.runs FROM daily_runs d WHERE d.owner_id = owner AND d.day = utc_today()),
        (SELECT count(*) FROM (SELECT 1 FROM executions e WHERE e.owner_id = owner AND e.retry_of IS NULL
           AND e.id >= first_id_at(utc_today()::timestamp AT TIME ZONE 'UTC') LIMIT 10000) started));
    WHEN 'storage_bytes' THEN RETURN coalesce((SELECT u.bytes FROM storage_usage u WHERE u.owner_id = owner), 0);
    WHEN 'databases' THEN RETURN (SELECT count(*) FROM mongo_databases d WHERE d.owner_id = owner);
    WHEN 'api_keys' THEN RETURN (SELECT count(*) FROM api_keys k WHERE k.user_id = owner AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now()));
    WHEN 'schedules' THEN RETURN (SELECT count(*) FROM schedules s WHERE s.owner_id = owner);
  END CASE;
END $$;
`;

const down = `
DROP INDEX start_keys_age;
DROP INDEX schedule_fires_others;

CREATE OR REPLACE FUNCTION quota_used(owner uuid, quota text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  CASE quota
    WHEN 'skripts' THEN RETURN (SELECT count(*) FROM skripts s WHERE s.owner_id = owner);
    WHEN 'file_bytes' THEN
      RETURN (SELECT coalesce(sum(f.size), 0) FROM skripts s JOIN skript_files f ON f.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'inputs' THEN
      RETURN (SELECT count(*) FROM skripts s JOIN inputs i ON i.skript_id = s.id WHERE s.owner_id = owner)
        + (SELECT count(*) FROM skripts s JOIN input_secrets i ON i.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'runs_at_once' THEN RETURN (SELECT count(*) FROM live_runs r WHERE r.owner_id = owner);
    -- Accounts without a limit have no row in daily_runs; a retry belongs to the start that it repeats.
    WHEN 'runs_per_day' THEN
      RETURN coalesce((SELECT d.runs FROM daily_runs d WHERE d.owner_id = owner AND d.day = utc_today()),
        (SELECT count(*) FROM (SELECT 1 FROM executions e WHERE e.owner_id = owner AND e.retry_of IS NULL
           AND e.id >= first_id_at(utc_today()::timestamp AT TIME ZONE 'UTC') LIMIT 10000) started));
    WHEN 'storage_bytes' THEN RETURN coalesce((SELECT u.bytes FROM storage_usage u WHERE u.owner_id = owner), 0);
    WHEN 'databases' THEN RETURN (SELECT count(*) FROM mongo_databases d WHERE d.owner_id = owner);
    WHEN 'api_keys' THEN RETURN (SELECT count(*) FROM api_keys k WHERE k.user_id = owner AND k.revoked_at IS NULL);
    WHEN 'schedules' THEN RETURN (SELECT count(*) FROM schedules s WHERE s.owner_id = owner);
  END CASE;
END $$;
`;
