import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LocksOfLibraries1742000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

const up = `
CREATE TABLE locks (hash text PRIMARY KEY, lock text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
ALTER TABLE bundles ADD COLUMN lock_hash text REFERENCES locks;
CREATE INDEX bundles_lock ON bundles (lock_hash) WHERE lock_hash IS NOT NULL;
`;

const down = `
ALTER TABLE bundles DROP COLUMN lock_hash;
DROP TABLE locks;
`;
