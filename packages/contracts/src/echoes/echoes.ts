export const ECHO_TYPES = [
  'log',
  'warn',
  'error',
  'objekt',
  'image',
  'progress',
  'table',
  'question',
  'answer',
] as const;
export type EchoType = (typeof ECHO_TYPES)[number];

/**
 * One echo. `msg` is plain text, JSON text for an `objekt`, or a `data:image/…;base64,` URL for an `image`. The text of a
 * `progress` or a `table` has a form that the panel draws. The answer of a question names it by its `seq`: `#12 answered`.
 * The run sets `time` (ISO 8601); the worker sets `seq`, which counts from 1 within the run.
 */
export interface Echo {
  type: EchoType;
  msg: string;
  time: string;
  seq: number;
}

/** Columns of the saved CSV, in order. */
export const ECHO_CSV_COLUMNS = ['seq', 'time', 'type', 'msg'] as const;
