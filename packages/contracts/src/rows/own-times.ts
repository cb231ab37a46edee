/** When a run ran, in milliseconds since 1970. */
export interface RunTime {
  from: number;
  to: number;
}

/** Clocks of workers and of the platform may differ. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Returns when a run ran. Until it has ended, that is until now. */
export function runTime({
  started_at: from,
  ended_at: to,
}: {
  started_at: string | null;
  ended_at: string | null;
}): RunTime {
  const [start, end] = [from, to].map(time => (time === null ? Date.now() : Date.parse(time))) as [number, number];
  return { from: start - CLOCK_DIFFERENCE_MS, to: end + CLOCK_DIFFERENCE_MS };
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Says whether a JSON value is a time at which the run ran: ISO text, or milliseconds since 1970. */
export function isTimeOf({ from, to }: RunTime, value: unknown): boolean {
  const time = typeof value === 'string' && ISO_TIME.test(value) ? Date.parse(value) : value;
  return typeof time === 'number' && time >= from && time <= to;
}
