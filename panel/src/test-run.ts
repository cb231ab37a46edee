import type { Execution } from './api/entities.js';

/** A live run for tests. */
export const run = (changes: Partial<Execution> = {}): Execution => ({
  id: 'first',
  worker: null,
  skript: { id: 's', category: 'general', name: 'Books' },
  input: null,
  inputSecret: null,
  action: 'start',
  waiting_for: null,
  error_code: null,
  error_stack: null,
  attempt: 1,
  retry_of: null,
  replay_of: null,
  record: null,
  schedule: null,
  issue_id: null,
  verdict: null,
  last_seq: 0,
  bundle_hash: 'a'.repeat(64),
  started_at: null,
  ended_at: null,
  rows: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:05.000Z',
  ...changes,
});
