import type { Echo } from './echoes/echoes.js';
import type { Action, WaitingFor } from './executions.js';

/** Socket.IO namespace that the panel connects to, with `auth: { token }`. */
export const LIVE_NAMESPACE = '/live';

/** A change of one of the user's runs, sent to their panel. */
export interface ExecutionUpdate {
  id: string;
  action: Action;
  waiting_for: WaitingFor | null;
  error_code: string | null;
  updated_at: string;
}

/**
 * A batch of live echoes. If echoes are missing between the last one that a viewer got and `from_seq`, the viewer must
 * show that.
 */
export interface LiveEchoes {
  execution_id: string;
  from_seq: number;
  items: Echo[];
}

export interface LiveServerEvents {
  execution: (update: ExecutionUpdate) => void;
  echoes: (batch: LiveEchoes) => void;
  /** The account has new notices, or may have. */
  notices: () => void;
}

export interface LiveClientEvents {
  /** Starts or stops the live view of one run. `ok` is false if the run does not belong to the caller. */
  watch: (
    request: { execution_id: string; on: boolean },
    answer: (result: { ok: boolean; error_message?: string }) => void,
  ) => void;
}
