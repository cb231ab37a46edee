import type { MigrationInterface, QueryRunner } from 'typeorm';

export class InputsInOneStatement1737000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// Whether a skript of this owner can have one more input (or input secret) of this name, of ASCII characters only; the
// skript and, for who has a limit, the account stay locked until the transaction ends. False also says "cannot tell":
// beside a name with other characters, which only the backend knows how to compare.
const up = `
CREATE FUNCTION has_room_for_input(owner uuid, skript uuid, secret boolean, new_name text, most integer, by_default bigint)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  others bigint;
  rivals bigint;
BEGIN
  PERFORM 1 FROM skripts s WHERE s.id = skript AND s.owner_id = owner FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF secret THEN
    SELECT count(*), count(*) FILTER (WHERE lower(i.name) = lower(new_name) OR i.name ~ '[^ -~]') INTO others, rivals
      FROM input_secrets i WHERE i.skript_id = skript;
  ELSE
    SELECT count(*), count(*) FILTER (WHERE lower(i.name) = lower(new_name) OR i.name ~ '[^ -~]') INTO others, rivals
      FROM inputs i WHERE i.skript_id = skript;
  END IF;
  RETURN others < most AND rivals = 0 AND quota_refusal(owner, 'inputs', by_default, 1) IS NULL;
END $$;
`;

const down = `
DROP FUNCTION has_room_for_input;
`;
