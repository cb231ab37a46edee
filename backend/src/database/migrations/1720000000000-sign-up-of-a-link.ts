import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SignUpOfALink1720000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// What a sign-up says waits with its link and becomes the account's when that link is used, and no other.
const up = `
ALTER TABLE password_links ADD COLUMN sign_up json;

UPDATE password_links l SET sign_up = to_json(p)
FROM profiles p JOIN users u ON u.id = p.user_id
WHERE p.user_id = l.user_id AND u.password_hash IS NULL;

DELETE FROM profiles p USING users u WHERE u.id = p.user_id AND u.password_hash IS NULL;
`;

const down = `ALTER TABLE password_links DROP COLUMN sign_up`;
