import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RESERVE as RESERVE_WITHOUT_PLACES } from './1795506100000-robots-of-polite-domains.js';

/**
 * A limit of the requests that the polite runs of an account have in progress at a domain. Each of them has a place, from
 * the reservation of its slot until the run gives the place back. The places of a run that has ended do not count: rows of
 * it are deleted later, so the end of a run costs nothing more.
 *
 * The row of the domain in `polite_domains` is the lock of its places.
 */
export class PlacesOfPoliteDomains1795509920000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE polite_domains ADD COLUMN max_concurrency integer
        CHECK (max_concurrency IS NULL OR (max_concurrency BETWEEN 1 AND 1000 AND requests_per_second IS NOT NULL));
      CREATE TABLE polite_places (
        owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        domain text NOT NULL,
        execution_id uuid NOT NULL,
        places integer NOT NULL,
        -- Set while the run wants a place and has got none. The run that waits longest is the next.
        waiting_since timestamptz,
        asked_at timestamptz NOT NULL,
        PRIMARY KEY (owner_id, domain, execution_id)
      ) WITH (fillfactor = 50);
      DROP FUNCTION reserve_slots;`);
    await queryRunner.query(RESERVE);
    await queryRunner.query(TAKE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION reserve_slots, take_places;
      DROP TABLE polite_places;
      ALTER TABLE polite_domains DROP COLUMN max_concurrency;`);
    await queryRunner.query(RESERVE_WITHOUT_PLACES);
  }
}

// As in the migration `robots-of-polite-domains`, with places. `holds` is null for a domain of whose places the run has none.
const RESERVE = `
CREATE FUNCTION reserve_slots(owner uuid, execution uuid, domains text[], wanted integer[], succeeded boolean[],
    holds integer[], default_rate double precision, default_burst integer)
  RETURNS TABLE (domain text, granted integer, start_ms double precision, interval_ms double precision,
    wait_ms double precision, is_closed boolean, is_new boolean,
    robots text, crawl_delay_ms double precision, is_limited boolean) LANGUAGE plpgsql AS $$
DECLARE
  usual polite_domains;
  one record;
  found_domain polite_domains;
  rate double precision;
  step interval;
  room integer;
  max_places integer;
  from_tat timestamptz;
  moment timestamptz;
BEGIN
  SELECT * INTO usual FROM polite_domains p WHERE p.owner_id = owner AND p.domain = '*';
  FOR one IN SELECT u.name, u.n, u.ok, u.held FROM unnest(domains, wanted, succeeded, holds) AS u(name, n, ok, held)
      ORDER BY u.name LOOP
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
    max_places := CASE WHEN found_domain.requests_per_second IS NULL THEN usual.max_concurrency
      ELSE found_domain.max_concurrency END;
    is_limited := max_places IS NOT NULL;
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
    IF is_limited OR one.held IS NOT NULL THEN
      SELECT t.taken, greatest(wait_ms, t.ms) INTO granted, wait_ms
        FROM take_places(owner, execution, one.name, one.held, granted, max_places, moment) t;
    END IF;
    interval_ms := 1000 / rate;
    start_ms := 1000 * extract(epoch FROM from_tat - moment - (room - 1) * step);
    UPDATE polite_domains p SET tat = from_tat + granted * step,
      closings = CASE WHEN one.ok AND NOT is_closed THEN 0 ELSE p.closings END
    WHERE p.owner_id = owner AND p.domain = one.name;
    RETURN NEXT;
  END LOOP;
END $$;`;

// A run keeps the places of which it says that it holds them, and gets up to `wanted` more. Runs that have waited longer
// come first, each for one place. They ask again every 50 ms for each run before them, so one that has not asked for 3 s
// has gone.
const TAKE = `
CREATE FUNCTION take_places(owner uuid, execution uuid, name text, holds integer, wanted integer, max_places integer,
    moment timestamptz, OUT taken integer, OUT ms double precision) LANGUAGE plpgsql AS $$
DECLARE
  own polite_places;
  kept integer;
  others integer := 0;
  ahead integer := 0;
BEGIN
  SELECT * INTO own FROM polite_places p WHERE p.owner_id = owner AND p.domain = name AND p.execution_id = execution;
  kept := least(coalesce(holds, 0), coalesce(own.places, 0));
  IF wanted > 0 AND max_places IS NOT NULL THEN
    DELETE FROM polite_places p WHERE p.owner_id = owner AND p.domain = name
      AND NOT EXISTS (SELECT FROM live_runs l WHERE l.execution_id = p.execution_id);
    SELECT coalesce(sum(p.places), 0), count(*) FILTER (WHERE p.waiting_since < coalesce(own.waiting_since, moment)
        AND p.asked_at > moment - interval '3 s')
      INTO others, ahead
      FROM polite_places p WHERE p.owner_id = owner AND p.domain = name AND p.execution_id <> execution;
    taken := greatest(0, least(wanted, max_places - kept - others - ahead));
  ELSE
    taken := wanted;
  END IF;
  ms := CASE WHEN wanted > 0 AND taken = 0 THEN least(1000, 50 * (1 + ahead)) ELSE 0 END;
  IF max_places IS NULL THEN
    -- The run took places while there was a limit.
    IF kept = 0 THEN
      DELETE FROM polite_places p WHERE p.owner_id = owner AND p.domain = name AND p.execution_id = execution;
    ELSE
      UPDATE polite_places p SET places = kept, waiting_since = NULL, asked_at = moment
        WHERE p.owner_id = owner AND p.domain = name AND p.execution_id = execution;
    END IF;
  ELSIF kept + taken = 0 AND ms = 0 THEN
    DELETE FROM polite_places p WHERE p.owner_id = owner AND p.domain = name AND p.execution_id = execution;
  ELSE
    INSERT INTO polite_places AS p (owner_id, domain, execution_id, places, waiting_since, asked_at)
    VALUES (owner, name, execution, kept + taken, CASE WHEN ms > 0 THEN moment END, moment)
    ON CONFLICT (owner_id, domain, execution_id) DO UPDATE SET places = excluded.places, asked_at = moment,
      waiting_since = CASE WHEN ms > 0 THEN coalesce(p.waiting_since, moment) END;
  END IF;
END $$;`;
