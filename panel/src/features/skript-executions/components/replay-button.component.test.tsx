import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { Execution } from '../../../api/entities.js';
import { run } from '../../../test-run.js';
import { changes, showScreen } from '../../../test-screen.js';
import { ReplayButton } from './replay-button.js';

const RECORD = { bytes: 900, exchanges: 3, problem: null };

const show = (record: Execution['record']) =>
  showScreen(
    <>
      <p>shown</p>
      <ReplayButton execution={run({ action: 'end', record })} onStarted={() => {}} />
    </>,
    {},
  );

it.each([null, { bytes: 0, exchanges: 0, problem: 'Your quota is full.' }])(
  'a run without a record has no Replay, and shows the reason if there is one: %#',
  async record => {
    show(record);
    await screen.findByText('shown');
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.queryAllByText('No record. Your quota is full.')).toHaveLength(record ? 1 : 0);
  },
);

it('Replay of a record that lacks something names it', async () => {
  show({ ...RECORD, problem: 'The record lacks GET /a.' });
  const button = await screen.findByRole('button', { name: 'Replay' });
  expect(button.title).toContain('3 recorded HTTP exchanges. The record lacks GET /a.');
});

it.each([
  [/use the network/, { on_miss: 'network' }],
  [/^Version 7 of .* that of this run$/, { version: 'a'.repeat(64) }],
])('a replay can be started with another choice: %s', async (name, body) => {
  const versions = [{ number: 7, hash: 'a'.repeat(64), built_at: '2026-01-02T03:04:05.000Z' }];
  const recorded = run({ action: 'end', record: RECORD });
  const onStarted = jest.fn();
  showScreen(<ReplayButton execution={recorded} onStarted={onStarted} />, {
    [`GET /joint-api/skripts/${recorded.skript.id}/versions/list`]: { body: { items: versions, total: 1 } },
    [`POST /joint-api/skript-execution/${recorded.id}/replay`]: { body: { id: 'replay' } },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Replay otherwise' }));
  fireEvent.click(await screen.findByRole('menuitem', { name }));
  await waitFor(() => expect(onStarted).toHaveBeenCalledWith('replay'));
  expect(changes().map(change => change.body)).toEqual([body]);
});
