import type { JsonValue } from '../../api/entities.js';

/** Input of a run. The request sends the ids of saved inputs, or the values that the user typed. */
export type RunInput =
  | { from: 'stored'; input_id: string | null; inputSecret_id: string | null }
  | { from: 'typed'; input?: JsonValue; inputSecret?: JsonValue };

export interface RunLimits {
  timeout_ms?: number;
  retries?: number;
  retry_delay_ms?: number;
}

export interface RunRequest {
  skript_id: string;
  /** Ids of workers, or `any`. Several of them start as many runs. */
  worker_ids: readonly string[];
  force: boolean;
  /** True to record the HTTP exchanges, for a replay. */
  record?: boolean;
  input: RunInput;
  /** Limits of this run. A missing field takes its value from the skript's settings. */
  limits?: RunLimits;
}

/** Returns the skript and the values of a request as both routes for starts take them. */
export function valuesOf({ skript_id, input }: RunRequest) {
  if (input.from === 'stored') {
    const { input_id, inputSecret_id } = input;
    return { skript_id, ...(input_id && { input_id }), ...(inputSecret_id && { inputSecret_id }) };
  }
  const { from: _, ...values } = input;
  return { skript_id, ...values };
}
