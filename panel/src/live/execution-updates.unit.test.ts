import type { ExecutionUpdate } from '@trawl/contracts';
import { run } from '../test-run.js';
import { listWithUpdate, withUpdate } from './execution-updates.js';

const execution = (id: string) =>
  run({ id, waiting_for: { reason: 'worker_full', since: '2026-01-01T00:00:00.000Z' } });

const update = (changes: Partial<ExecutionUpdate> = {}): ExecutionUpdate => ({
  id: 'a',
  action: 'end',
  waiting_for: null,
  error_code: null,
  updated_at: '2026-01-01T00:00:09.000Z',
  ...changes,
});

describe('a live update of a run', () => {
  it('changes the run’s action and clears its waiting reason', () => {
    expect(withUpdate(execution('a'), update())).toMatchObject({ action: 'end', waiting_for: null });
  });

  it('is ignored if it is older than the known state of the run', () => {
    const known = execution('a');
    expect(withUpdate(known, update({ updated_at: '2026-01-01T00:00:01.000Z' }))).toBe(known);
  });

  it('changes only the row of its own run in a list', () => {
    const list = { total: 2, items: [execution('a'), execution('b')] };
    expect(listWithUpdate(list, update())?.items.map(({ action }) => action)).toEqual(['end', 'start']);
  });

  it('is ignored by a list without the run', () => {
    expect(listWithUpdate({ total: 1, items: [execution('b')] }, update())).toBeNull();
  });
});
