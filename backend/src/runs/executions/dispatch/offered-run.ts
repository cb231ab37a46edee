import type { Offer, Replay, WaitingReason } from '@trawl/contracts';

/**
 * The input and secret of a run, each as JSON text or null, and whether it is recorded or a replay. `live_runs.payload`
 * contains them encrypted.
 */
export interface RunPayload {
  input: string | null;
  inputSecret: string | null;
  record?: true;
  replay?: Replay;
  /** Trace of the call that started the run, also if the run waits or is retried. */
  traceparent?: string;
}

/** The content of a run's offer, except the input and secret. */
export interface OfferedRun {
  execution_id: string;
  owner_id: string;
  warm: boolean;
  keep_exchanges: boolean;
  polite: boolean;
  /** Name of a pool of proxies. */
  proxy: string | null;
  row_key: string | string[] | null;
  /** Id of the first attempt; null if the run is the first. */
  retry_of: string | null;
  skript_id: string;
  skript_name: string;
  environment: Offer['environment'];
  bundle_hash: string;
  lock_hash: string | null;
  time_limit_ms: number;
  retries_left: number;
  waiting_reason: WaitingReason | null;
}
