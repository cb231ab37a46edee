import { screen } from '@testing-library/react';
import { showScreen } from '../../../test-screen.js';
import { WebhookModal } from './webhook-modal.js';

const offered = async () => {
  await screen.findByLabelText('URL');
  return screen.getAllByRole('checkbox').map(box => (box as HTMLInputElement).value.split('.')[0]);
};

it('a new webhook of a skript offers only events that it can send: of runs, rows and schedules', async () => {
  showScreen(<WebhookModal webhook={null} skript={{ id: 'a', title: 'Shelves' }} onClose={() => {}} />, {});
  expect(new Set(await offered())).toEqual(new Set(['run', 'rows', 'schedule']));
});

it('a webhook of the account offers all events, and shows names of settings as code', async () => {
  showScreen(<WebhookModal webhook={null} onClose={() => {}} />, {});
  expect(await offered()).toEqual(expect.arrayContaining(['run', 'worker', 'export', 'quota']));
  expect(screen.getByText('fresh_hours').tagName).toBe('CODE');
});
