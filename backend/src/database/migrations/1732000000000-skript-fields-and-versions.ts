import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SkriptFieldsAndVersions1732000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// A version is one row however often the same files are bundled: `created_at` is its first build, `built_at` its last.
const up = `
ALTER TABLE skripts
  ADD COLUMN warm boolean NOT NULL DEFAULT false,
  ADD COLUMN retries integer NOT NULL DEFAULT 0 CHECK (retries BETWEEN 0 AND 10),
  ADD COLUMN retry_delay_ms integer NOT NULL DEFAULT 5000 CHECK (retry_delay_ms >= 0),
  ADD COLUMN input_schema json;

ALTER TABLE skript_bundles ADD COLUMN built_at timestamptz, ADD COLUMN builds integer NOT NULL DEFAULT 1;
UPDATE skript_bundles SET built_at = created_at;
ALTER TABLE skript_bundles ALTER COLUMN built_at SET NOT NULL;
CREATE INDEX skript_bundles_list ON skript_bundles (skript_id, built_at DESC, hash);
CREATE INDEX skript_bundles_hash ON skript_bundles (hash);
CREATE INDEX skripts_bundle ON skripts (bundle_hash);
`;

const down = `
DROP INDEX skripts_bundle, skript_bundles_hash, skript_bundles_list;
ALTER TABLE skript_bundles DROP COLUMN builds, DROP COLUMN built_at;
ALTER TABLE skripts DROP COLUMN input_schema, DROP COLUMN retry_delay_ms, DROP COLUMN retries, DROP COLUMN warm;
`;
