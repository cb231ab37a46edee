/** The list of running backends, the digest of TRAWL_SECRET, the maintenance, and triggers that announce changed runs. */
export const backends = `
-- The current or last maintenance. The table has at most one row.
CREATE TABLE maintenance (
  is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
  message text NOT NULL,
  until timestamptz,
  started_at timestamptz NOT NULL DEFAULT now()
);

-- A digest of TRAWL_SECRET, in one row, so that a backend with another secret refuses to start. While the secret is
-- rotated, previous_digest is the digest of the secret that rows may still be encrypted with.
CREATE TABLE platform_secret (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  digest bytea NOT NULL,
  previous_digest bytea,
  rotated_at timestamptz
);

-- When a backend last swept, so that several backends together sweep as often as one. Backends that may end runs of lost
-- workers, and those that may not yet, take separate turns. Unlogged: after a crash, the next sweep comes at once.
CREATE UNLOGGED TABLE sweep_turns (may_end_runs boolean PRIMARY KEY, taken_at timestamptz NOT NULL);

-- secrets has the digests of the secrets that the backend accepts, the one in use first. Unlogged, because all rows are
-- renewed every few seconds.
CREATE UNLOGGED TABLE backends (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL,
  secrets bytea[] NOT NULL DEFAULT '{}'
);

-- The bodies of these functions are indented as version 0.1.0 did, so that new and upgraded databases have the same.
CREATE FUNCTION other_backends(own uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
        SELECT EXISTS (SELECT FROM backends WHERE id IS DISTINCT FROM own AND seen_at > now() - interval '15 s')
      $$;

-- Wakes the other backends when a run changes. The payload's first line is the id of the backend that made the change. Each
-- further line has what happened and the ids of execution, owner and worker (- if there is none):
-- waits: the run waits for a worker;
-- offered: it was committed to a worker;
-- command: a command or an answer waits for the worker that has it;
-- ended; or changed, for anything else that viewers see.
-- A payload has at most 8,000 bytes, hence 64 runs.
CREATE FUNCTION publish_runs() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        own uuid := nullif(current_setting('trawl.backend', true), '');
        lines text[];
      BEGIN
        IF NOT other_backends(own) THEN RETURN NULL; END IF;
        CASE TG_OP
        WHEN 'INSERT' THEN
          SELECT array_agg(concat_ws(' ', CASE WHEN boot_id IS NULL THEN 'waits' ELSE 'offered' END, execution_id, owner_id,
            coalesce(worker_id::text, '-'))) INTO lines FROM new_runs;
        WHEN 'DELETE' THEN
          SELECT array_agg(concat_ws(' ', 'ended', execution_id, owner_id, coalesce(worker_id::text, '-'))) INTO lines FROM old_runs;
        ELSE
          SELECT array_agg(concat_ws(' ', CASE
              WHEN n.boot_id IS NULL AND (o.boot_id IS NOT NULL OR n.cmd_seq <> o.cmd_seq) THEN 'waits'
              WHEN n.cmd_seq <> o.cmd_seq OR n.answers IS DISTINCT FROM o.answers AND n.answers IS NOT NULL THEN 'command'
              ELSE 'changed' END, n.execution_id, n.owner_id, coalesce(n.worker_id::text, '-'))) INTO lines
          FROM new_runs n JOIN old_runs o USING (execution_id)
          WHERE (n.boot_id, n.waiting_reason, n.cmd_seq, n.cmd_done, n.answers)
            IS DISTINCT FROM (o.boot_id, o.waiting_reason, o.cmd_seq, o.cmd_done, o.answers);
        END CASE;
        FOR n IN 1 .. coalesce(array_length(lines, 1), 0) BY 64 LOOP
          PERFORM pg_notify('trawl_runs', coalesce(own::text, '') || E'\\n' || array_to_string(lines[n:n + 63], E'\\n'));
        END LOOP;
        RETURN NULL;
      END $$;

CREATE TRIGGER runs_inserted AFTER INSERT ON live_runs REFERENCING NEW TABLE AS new_runs
  FOR EACH STATEMENT EXECUTE FUNCTION publish_runs();
CREATE TRIGGER runs_updated AFTER UPDATE ON live_runs REFERENCING OLD TABLE AS old_runs NEW TABLE AS new_runs
  FOR EACH STATEMENT EXECUTE FUNCTION publish_runs();
CREATE TRIGGER runs_deleted AFTER DELETE ON live_runs REFERENCING OLD TABLE AS old_runs
  FOR EACH STATEMENT EXECUTE FUNCTION publish_runs();
`;
