import { screen } from '@testing-library/react';
import { run } from '../../../test-run.js';
import { listOf, showScreen } from '../../../test-screen.js';
import { WorkerSlots } from './worker-slots.js';

const runs = (count: number) =>
  Array.from({ length: count }, (_, index) => run({ id: `r${index}`, worker: { id: 'w1', name: 'paris-1' } }));

/** Shows a worker, and returns the classes of its cells and the text beside them. */
async function slots(worker: { slots: number; free_slots: number; status?: string }, own: number) {
  const path = 'GET /joint-api/skript-execution/list';
  showScreen(<WorkerSlots workersHref="/workers" executionHref={id => `/runs/${id}`} />, {
    'GET /apps/workers/list': listOf({ id: 'w1', name: 'paris-1', status: 'online', ...worker }),
    [path]: ({ call }) => listOf(...(call.includes('action=start') ? runs(own) : [])),
  });
  if (own > 0) await screen.findAllByRole('link', { name: 'Books' });
  const list = await screen.findByRole('list', { name: /^paris-1: / });
  const cells = [...list.querySelectorAll<HTMLElement>('[data-slot]')].map(({ dataset }) => dataset.slot);
  const count = (kind: string) => cells.filter(cell => cell === kind).length;
  return { own: count('own'), other: count('other'), free: count('free'), text: list.textContent };
}

describe('the slots of a worker', () => {
  it.each([
    ['no run', 282, 282, 0, { own: 0, other: 0, free: 0, text: '282 free' }],
    ['one run', 282, 281, 1, { own: 1, other: 0, free: 0, text: '281 free' }],
    ['runs of several accounts', 282, 252, 20, { own: 20, other: 10, free: 0, text: '252 free' }],
    ['more runs than cells', 282, 2, 200, { own: 60, other: 0, free: 0, text: 'and 220 more, 2 free' }],
    ['few slots', 4, 2, 1, { own: 1, other: 1, free: 2, text: '2 free' }],
  ])(
    'show one cell for each run, and count the slots that have no cell: %s',
    async (_case, total, free, own, shown) => {
      expect(await slots({ slots: total, free_slots: free }, own)).toEqual(shown);
    },
  );

  it('link each cell to its run', async () => {
    await slots({ slots: 282, free_slots: 281 }, 1);
    expect(screen.getByRole('link', { name: 'Books' }).getAttribute('href')).toBe('/runs/r0');
  });

  it.each([
    [4, '4 unavailable'],
    [0, ''],
  ])('are shown as unavailable while the worker is offline: %s slots', async (total, text) => {
    expect(await slots({ slots: total, free_slots: total, status: 'offline' }, 0)).toMatchObject({ text });
  });
});
