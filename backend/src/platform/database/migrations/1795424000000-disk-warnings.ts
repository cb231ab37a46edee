import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The free disk space of workers, from their heartbeats; null for workers that do not send it. And the warning before an
 * account's storage quota is used up.
 */
export class DiskWarnings1795424000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE worker_leases ADD COLUMN disk_free bigint, ADD COLUMN disk_total bigint');
    await queryRunner.query('ALTER TABLE storage_usage ADD COLUMN is_warned boolean NOT NULL DEFAULT false');
    await queryRunner.query(SAVE_STORAGE_USAGE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION save_storage_usage(uuid, bigint, bigint)');
    await queryRunner.query('ALTER TABLE storage_usage DROP COLUMN is_warned');
    await queryRunner.query('ALTER TABLE worker_leases DROP COLUMN disk_free, DROP COLUMN disk_total');
  }
}

const SAVE_STORAGE_USAGE = `
-- Saves how many bytes an account stores. Records an event when they reach 80 % of the limit; again only after they were
-- below 70 %, so that an account around 80 % gets one event.
CREATE FUNCTION save_storage_usage(owner uuid, measured bigint, by_default bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  most bigint := (SELECT quota_limit(u, 'storage_bytes', by_default) FROM users u WHERE u.id = owner);
  was_warned boolean;
BEGIN
  INSERT INTO storage_usage (owner_id, bytes) SELECT u.id, measured FROM users u WHERE u.id = owner
  ON CONFLICT (owner_id) DO UPDATE SET bytes = EXCLUDED.bytes, measured_at = now()
  RETURNING is_warned INTO was_warned;
  IF most > 0 AND measured >= most * 0.8 AND NOT was_warned THEN
    UPDATE storage_usage SET is_warned = true WHERE owner_id = owner;
    PERFORM record_events(ARRAY[owner], ARRAY['quota.warning'], ARRAY[json_build_object(
      'quota', json_build_object('name', 'storage_bytes', 'limit', most, 'used', measured), 'percent', 80)]);
  ELSIF was_warned AND (most = 0 OR measured < most * 0.7) THEN
    UPDATE storage_usage SET is_warned = false WHERE owner_id = owner;
  END IF;
END $$;
`;
