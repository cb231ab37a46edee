import { screen } from '@testing-library/react';
import type { Execution } from '../../../api/entities.js';
import { run } from '../../../test-run.js';
import { showScreen } from '../../../test-screen.js';
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
