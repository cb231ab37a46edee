import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Budgets of domains, which all polite runs of an account share. The domain `*` has the settings of all domains that have
 * none of their own. A setting that is null is the default.
 *
 * `tat` is the theoretical arrival time of the next request, as GCRA calls it: each request moves it by one interval, and
 * may come up to `burst - 1` intervals before it. A domain whose `tat` is over is as if it had no row.
 */
export class PoliteDomains1795504000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLE);
    await queryRunner.query(RESERVE);
    await queryRunner.query(CLOSE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP FUNCTION reserve_slots, close_domain; DROP TABLE polite_domains; ALTER TABLE skripts DROP COLUMN polite',
    );
  }
}

const TABLE = `
ALTER TABLE skripts ADD COLUMN polite boolean NOT NULL DEFAULT false;

CREATE TABLE polite_domains (
  id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  domain text NOT NULL,
  requests_per_second double precision,
  burst integer,
  tat timestamptz NOT NULL DEFAULT now(),
  closed_until timestamptz,
  closings integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_id, domain)
) WITH (fillfactor = 50);`;

// The domains are locked in order, so that two runs that reserve for the same ones do not wait for each other. A run gets
// the slots of at most half a second, or one burst, so that all runs of an account get their share.
export const RESERVE = `
CREATE FUNCTION reserve_slots(owner uuid, domains text[], wanted integer[], succeeded boolean[],
    default_rate double precision, default_burst integer)
  RETURNS TABLE (domain text, granted integer, start_ms double precision, interval_ms double precision,
    wait_ms double precision, is_closed boolean, is_new boolean) LANGUAGE plpgsql AS $$
DECLARE
  usual polite_domains;
  one record;
  found_domain polite_domains;
  rate double precision;
  step interval;
  room integer;
  from_tat timestamptz;
  moment timestamptz;
BEGIN
  SELECT * INTO usual FROM polite_domains p WHERE p.owner_id = owner AND p.domain = '*';
  FOR one IN SELECT u.name, u.n, u.ok FROM unnest(domains, wanted, succeeded) AS u(name, n, ok) ORDER BY u.name LOOP
    domain := one.name;
    is_new := false;
    LOOP
      SELECT * INTO found_domain FROM polite_domains p WHERE p.owner_id = owner AND p.domain = one.name FOR NO KEY UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO polite_domains (owner_id, domain) VALUES (owner, one.name) ON CONFLICT DO NOTHING;
      is_new := true;
    END LOOP;
    moment := clock_timestamp();
    rate := coalesce(found_domain.requests_per_second, usual.requests_per_second, default_rate);
    room := coalesce(found_domain.burst, usual.burst, default_burst);
    step := make_interval(secs => 1 / rate);
    from_tat := greatest(found_domain.tat, moment);
    is_closed := coalesce(found_domain.closed_until > moment, false);
    wait_ms := 1000 * extract(epoch FROM greatest(interval '0', from_tat - moment - interval '60 s',
      found_domain.closed_until - moment));
    granted := CASE WHEN wait_ms > 0 THEN 0 ELSE least(one.n, greatest(room, ceil(rate / 2)::integer)) END;
    interval_ms := 1000 / rate;
    start_ms := 1000 * extract(epoch FROM from_tat - moment - (room - 1) * step);
    UPDATE polite_domains p SET tat = from_tat + granted * step,
      closings = CASE WHEN one.ok AND NOT is_closed THEN 0 ELSE p.closings END
    WHERE p.owner_id = owner AND p.domain = one.name;
    RETURN NEXT;
  END LOOP;
END $$;`;

// Requests that were sent before a domain closed do not double its time.
const CLOSE = `
CREATE FUNCTION close_domain(owner uuid, name text, retry_ms double precision, first_ms double precision, max_ms double precision)
  RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  closes timestamptz;
BEGIN
  INSERT INTO polite_domains AS p (owner_id, domain, closings, closed_until)
  VALUES (owner, name, 1, moment + least(max_ms, greatest(first_ms, retry_ms)) * interval '1 ms')
  ON CONFLICT ON CONSTRAINT polite_domains_pkey DO UPDATE SET
    closings = CASE WHEN p.closed_until > moment THEN p.closings ELSE least(p.closings + 1, 30) END,
    closed_until = CASE WHEN p.closed_until > moment
      THEN greatest(p.closed_until, moment + least(max_ms, retry_ms) * interval '1 ms')
      ELSE moment + least(max_ms, greatest(first_ms * 2 ^ p.closings, retry_ms)) * interval '1 ms' END
  RETURNING closed_until INTO closes;
  RETURN 1000 * extract(epoch FROM closes - moment);
END $$;`;
