import type { Offer, WaitingReason } from '@trawl/contracts';

/** A run's values as they stand, sealed, in `live_runs.payload`: JSON text or null. */
export interface RunPayload {
  input: string | null;
  inputSecret: string | null;
}

/** What an offer says of a run, besides its values. */
export interface OfferedRun {
  execution_id: string;
  owner_id: string;
  warm: boolean;
  skript_id: string;
  skript_name: string;
  environment: Offer['environment'];
  bundle_hash: string;
  lock_hash: string | null;
  time_limit_ms: number;
  retries_left: number;
  waiting_reason: WaitingReason | null;
}
