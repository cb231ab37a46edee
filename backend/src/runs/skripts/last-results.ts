export const LAST_RESULTS = ['end', 'broken', 'error', 'stop', 'live', 'none'] as const;
export type LastResult = (typeof LAST_RESULTS)[number];

/** Reads one value of the newest run of the skript `s`, apart from replays. Its index has these runs in this order. */
const newest = (value: string): string =>
  `(SELECT ${value} FROM executions e WHERE e.owner_id = s.owner_id AND e.skript_id = s.id AND e.replay_of IS NULL
    ORDER BY e.id DESC LIMIT 1)`;

/** Skripts with the time of their newest run, for lists in its order. A skript without runs has the oldest of all times. */
export const SKRIPTS_WITH_LAST_RUN = `(SELECT s.*, coalesce(${newest('e.created_at')}, 'epoch') AS last_run_at FROM skripts s)`;

const UNACCEPTED_LEVEL = `(SELECT p.verdict->>'level' FROM run_profiles p
    WHERE p.execution_id = e.id AND e.action = 'end' AND p.verdict->>'accepted_at' IS NULL)`;

/** SQL conditions on a skript `s` with this last result. */
export const HAS_LAST_RESULT: Record<LastResult, string> = {
  end: newest(`e.action = 'end' AND ${UNACCEPTED_LEVEL} IS DISTINCT FROM 'broken'`),
  broken: `${newest(UNACCEPTED_LEVEL)} = 'broken'`,
  error: `${newest('e.action')} = 'error'`,
  stop: `${newest('e.action')} = 'stop'`,
  live: `${newest('e.action')} IN ('start', 'pause')`,
  none: `${newest('e.action')} IS NULL`,
};
