import type { ExecutionUpdate } from '@trawl/contracts';
import type { Execution } from '../api/entities.js';
import { listWithUpdate, withUpdate } from './execution-updates.js';

const execution = (id: string): Execution => ({
  id,
  worker: null,
  skript: { id: 's', category: 'general', name: 'Books' },
  input: null,
  inputSecret: null,
  action: 'start',
  waiting_for: { reason: 'worker_full', since: '2026-01-01T00:00:00.000Z' },
  error_code: null,
  error_stack: null,
  attempt: 1,
  retry_of: null,
  schedule: null,
  last_seq: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:05.000Z',
});

const update = (changes: Partial<ExecutionUpdate> = {}): ExecutionUpdate => ({
  id: 'a',
  action: 'end',
  waiting_for: null,
  error_code: null,
  updated_at: '2026-01-01T00:00:09.000Z',
  ...changes,
});

describe('live news of an execution', () => {
  it('change its action and end its waiting', () => {
    expect(withUpdate(execution('a'), update())).toMatchObject({ action: 'end', waiting_for: null });
  });

  it('are ignored when they are older than what is known', () => {
    const known = execution('a');
    expect(withUpdate(known, update({ updated_at: '2026-01-01T00:00:01.000Z' }))).toBe(known);
  });

  it('change only their own line of a list', () => {
    const list = { total: 2, items: [execution('a'), execution('b')] };
    expect(listWithUpdate(list, update())?.items.map(({ action }) => action)).toEqual(['end', 'start']);
  });

  it('tell that a list does not have the run', () => {
    expect(listWithUpdate({ total: 1, items: [execution('b')] }, update())).toBeNull();
  });
});
