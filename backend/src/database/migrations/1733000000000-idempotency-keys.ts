import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IdempotencyKeys1733000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE TABLE idempotency_keys (
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  key text NOT NULL,
  request bytea NOT NULL,
  status integer,
  answer_sealed bytea,
  under_way_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
CREATE INDEX start_keys_age ON start_keys (created_at);
CREATE INDEX executions_retry ON executions (owner_id, retry_of, id DESC) WHERE retry_of IS NOT NULL;
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX executions_retry, start_keys_age; DROP TABLE idempotency_keys');
  }
}
