import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RESERVE as RESERVE_WITHOUT_ROBOTS } from './1795504000000-polite-domains.js';

/** Polite runs obey the robots.txt of a domain, warn, or ignore it. A crawl delay that they obey widens the interval. */
export class RobotsOfPoliteDomains1795506100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE polite_domains
        ADD COLUMN robots text CHECK (robots IN ('obey', 'warn', 'ignore')),
        ADD COLUMN crawl_delay_ms double precision CHECK (crawl_delay_ms BETWEEN 1 AND 60000);
      DROP FUNCTION reserve_slots;`);
    await queryRunner.query(RESERVE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE polite_domains DROP COLUMN robots, DROP COLUMN crawl_delay_ms;
      DROP FUNCTION reserve_slots;`);
    await queryRunner.query(RESERVE_WITHOUT_ROBOTS);
  }
}

// As in the migration `polite-domains`, with the rules of robots.txt.
export const RESERVE = `
CREATE FUNCTION reserve_slots(owner uuid, domains text[], wanted integer[], succeeded boolean[],
    default_rate double precision, default_burst integer)
  RETURNS TABLE (domain text, granted integer, start_ms double precision, interval_ms double precision,
    wait_ms double precision, is_closed boolean, is_new boolean,
    robots text, crawl_delay_ms double precision) LANGUAGE plpgsql AS $$
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
    robots := coalesce(found_domain.robots, usual.robots, 'obey');
    crawl_delay_ms := coalesce(found_domain.crawl_delay_ms, 0);
    IF robots = 'obey' AND crawl_delay_ms > 1000 / rate THEN
      rate := 1000 / crawl_delay_ms;
      room := 1;
    END IF;
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
