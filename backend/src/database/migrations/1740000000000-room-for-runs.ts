import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RoomForRuns1740000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// How many more runs an account may start now, and the refusal of the one after these. All null for who may start without
// limit, else the account stays locked until the transaction ends. started_before is how many there were today, null for
// who has no limit of those. It stands beside run_quota, which a backend of the version before goes on asking.
const up = `
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
  PERFORM 1 FROM users u WHERE u.id = owner FOR NO KEY UPDATE;
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
  END IF;
END $$;
`;

const down = `
DROP FUNCTION run_room;
`;
