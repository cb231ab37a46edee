import { fireEvent, screen } from '@testing-library/react';
import type { Worker } from '../../../api/entities.js';
import { press, showScreen } from '../../../test-screen.js';
import { WorkerName } from './worker-history.js';

const worker = { id: 'w1', name: 'paris-1' } as Worker;
const sample = (minute: number, isOnline = true) => ({
  at: `2026-11-27T09:${minute}:00.000Z`,
  is_online: isOnline,
  runs: isOnline ? 3 : 0,
  cpu: isOnline ? minute / 100 : null,
  memory: isOnline ? 0.5 : null,
});
const HISTORY = 'GET /joint-api/workers/w1/history';

const show = async (answer: object, address = '/developer/workers') => {
  showScreen(<WorkerName worker={worker} />, { [HISTORY]: answer as never }, address);
  await press('paris-1');
};

it('the name of a worker opens its last day as lines, with the time offline and its runs', async () => {
  await show({ body: { samples: [sample(10), sample(15, false), sample(20)] } });
  await screen.findByText('Offline in 1 of 3 samples, one every five minutes.');
  expect(screen.getAllByRole('img').map(line => line.getAttribute('aria-label'))).toEqual([
    'CPU in use, %, paris-1: 10 at first, now 20, between 10 and 20',
    'Memory in use, %, paris-1: 50 at first, now 50, between 50 and 50',
    'Runs at once, paris-1: 3 at first, now 3, between 3 and 3',
  ]);
  const runs = screen.getByRole('link', { name: 'Runs on this worker' });
  expect(runs.getAttribute('href')).toMatch(/developer\/skript-executions\?worker_id=w1$/);
});

it('an administrator gets from the last day of a worker to the runs of all accounts', async () => {
  await show({ body: { samples: [] } }, '/admin/workers');
  await screen.findByText(/^There is no sample yet/);
  const runs = screen.getByRole('link', { name: 'Runs on this worker' });
  expect(runs.getAttribute('href')).toMatch(/admin\/all-runs\?worker_id=w1$/);
});

it('the last day of a worker can be loaded again after a failure', async () => {
  await show({ status: 500, body: { error_code: 'internal', error_message: 'It broke.' } });
  await screen.findByText('The history could not be loaded');
  fireEvent.click(screen.getByText('Try again'));
  await screen.findByText('The history could not be loaded');
});
