import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts that end at a set time, such as demo accounts and accounts that their owners delete. */
export class ExpiringAccounts1795402000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
-- From expires_at on nobody can sign in, and a sweep deletes the account. removal_tried_at is when the sweep last tried.
ALTER TABLE users ADD COLUMN expires_at timestamptz, ADD COLUMN removal_tried_at timestamptz;
CREATE INDEX users_expiry ON users (expires_at) WHERE expires_at IS NOT NULL;
${triggerOn('username, role, built_in, disabled_at, expires_at')}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
${triggerOn('username, role, built_in, disabled_at')}
ALTER TABLE users DROP COLUMN expires_at, DROP COLUMN removal_tried_at;`);
  }
}

/** Backends forget cached tokens when one of these columns changes. */
const triggerOn = (columns: string): string => `
DROP TRIGGER users_changed ON users;
CREATE TRIGGER users_changed AFTER DELETE OR UPDATE OF ${columns} ON users
  FOR EACH ROW EXECUTE FUNCTION tell_of_caller();`;
