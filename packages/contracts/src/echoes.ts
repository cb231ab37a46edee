export const ECHO_TYPES = ['log', 'warn', 'error', 'objekt', 'image'] as const;
export type EchoType = (typeof ECHO_TYPES)[number];

/**
 * One echo. `msg` is text; of an `objekt` it is JSON text, of an `image` a `data:image/…;base64,` address.
 * `time` is an ISO time made in the run; `seq` counts from 1 within a run and is given by the worker.
 */
export interface Echo {
  type: EchoType;
  msg: string;
  time: string;
  seq: number;
}

/** Columns of the saved CSV, in order. */
export const ECHO_CSV_COLUMNS = ['seq', 'time', 'type', 'msg'] as const;
