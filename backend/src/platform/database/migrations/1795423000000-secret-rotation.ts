import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * While TRAWL_SECRET is rotated, `previous_digest` is the digest of the secret that rows may still be encrypted with.
 * `backends.secrets` has the digests of the secrets that a backend accepts, the one in use first.
 */
export class SecretRotation1795423000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE platform_secret ADD COLUMN previous_digest bytea, ADD COLUMN rotated_at timestamptz',
    );
    await queryRunner.query(`ALTER TABLE backends ADD COLUMN secrets bytea[] NOT NULL DEFAULT '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE backends DROP COLUMN secrets');
    await queryRunner.query('ALTER TABLE platform_secret DROP COLUMN previous_digest, DROP COLUMN rotated_at');
  }
}
