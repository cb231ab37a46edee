import type { Echo } from './echoes.js';
import type { Action, WaitingFor } from './executions.js';

/** Socket.IO namespace that the panel connects to, with `auth: { token }`. */
export const LIVE_NAMESPACE = '/live';

/** What the panel is told of its user's runs as they change. */
export interface ExecutionUpdate {
  id: string;
  action: Action;
  waiting_for: WaitingFor | null;
  error_code: string | null;
  updated_at: string;
}

/** A batch of live echoes. A gap between `from_seq` and the last one seen is to be marked, not hidden. */
export interface LiveEchoes {
  execution_id: string;
  from_seq: number;
  items: Echo[];
}

export interface LiveServerEvents {
  execution: (update: ExecutionUpdate) => void;
  echoes: (batch: LiveEchoes) => void;
}

export interface LiveClientEvents {
  /** Begin or end watching one run; answers whether the run is the caller's own. */
  watch: (
    request: { execution_id: string; on: boolean },
    answer: (result: { ok: boolean; error_message?: string }) => void,
  ) => void;
}
