import type { MigrationInterface, QueryRunner } from 'typeorm';

const INPUTS = '(SELECT count(*) FROM skripts s JOIN input_secrets i ON i.skript_id = s.id WHERE s.owner_id = owner)';
const SESSIONS = ' + (SELECT count(*) FROM site_sessions s WHERE s.owner_id = owner)';

/**
 * Sessions: the logins of an account to sites, which its runs share. `runs` has the live runs that use a session, and
 * perhaps some that have ended since. The lease belongs to `lease_holder` of `lease_run` while that run is live.
 */
export class SiteSessions1795490000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE site_sessions (
        id uuid PRIMARY KEY,
        owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        name text NOT NULL,
        value_sealed bytea,
        version uuid,
        bytes integer NOT NULL DEFAULT 0,
        origins text[] NOT NULL DEFAULT '{}',
        cookies integer NOT NULL DEFAULT 0,
        user_agent text,
        saved_at timestamptz,
        expires_at timestamptz,
        last_used_at timestamptz,
        runs uuid[] NOT NULL DEFAULT '{}',
        lease_run uuid,
        lease_holder uuid,
        lease_until timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (owner_id, name)
      );
      ALTER TABLE site_sessions ALTER COLUMN value_sealed SET STORAGE EXTERNAL;`);
    await changeQuotaUsed(queryRunner, body => body.replace(INPUTS, INPUTS + SESSIONS));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await changeQuotaUsed(queryRunner, body => body.replace(SESSIONS, ''));
    await queryRunner.query('DROP TABLE site_sessions');
  }
}

/** Creates the function again with another body, so that it keeps what earlier migrations gave it. */
export async function changeQuotaUsed(queryRunner: QueryRunner, change: (body: string) => string): Promise<void> {
  const [{ body }] = await queryRunner.query(
    `SELECT prosrc AS body FROM pg_proc WHERE oid = 'quota_used(uuid, text)'::regprocedure`,
  );
  await queryRunner.query(
    `CREATE OR REPLACE FUNCTION quota_used(owner uuid, quota text) RETURNS bigint LANGUAGE plpgsql VOLATILE
     AS $body$${change(body)}$body$`,
  );
}
