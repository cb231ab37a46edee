import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { fill, listOf, press, sent, showScreen } from '../../test-screen.js';
import AuditLogRoute from './audit-log.route.js';

const LIST = 'GET /joint-api/audit/list';
const ENTRY = {
  id: 'a1',
  created_at: '2026-02-15T09:30:00.000Z',
  updated_at: '2026-02-15T09:30:00.000Z',
  user: { id: 'u1', username: 'ada@example.com' },
  key: { id: 'k1', name: 'nightly import' },
  action: 'updateSkript',
  target: { kind: 'skript', id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', name: 'Books catalogue' },
  fields: ['category', 'time_limit_ms'],
  status: 200,
  ip: '203.0.113.7',
};
const OPENAPI = {
  paths: { '/joint-api/skripts/{skript_id}': { put: { operationId: 'updateSkript', summary: 'Update a skript' } } },
};
const show = (...entries: object[]) =>
  showScreen(
    <AuditLogRoute />,
    { [LIST]: listOf(...entries), 'GET /joint-api/users/list': listOf(), 'GET /openapi.json': { body: OPENAPI } },
    '/admin/audit-log',
  );

describe('the audit log page', () => {
  it('shows who changed what, with which API key and from which IP address', async () => {
    show(ENTRY);
    const row = (await screen.findByText('Update a skript', { selector: '.cell-title' })).closest('tr');
    for (const text of [
      'category, time limit',
      'skript',
      'Books catalogue',
      'ada@example.com',
      'with the key nightly import',
      '203.0.113.7',
      '200',
    ])
      expect(row?.textContent).toContain(text);
  });

  it('filters by an operation that the user chooses by its name', async () => {
    show(ENTRY);
    await screen.findByText('Update a skript', { selector: '.cell-title' });
    await act(async () => fireEvent.click(screen.getByRole('combobox', { name: 'All operations' })));
    await act(async () => fireEvent.click(screen.getByRole('option', { name: 'Update a skript' })));
    await waitFor(() => expect(sent.some(({ call }) => call.includes('action=updateSkript'))).toBe(true));
  });

  it('filters by whole days, and offers to clear filters that match nothing', async () => {
    show();
    await fill('From', '2026-02-15');
    await fill('To', '2026-02-15');
    const from = new Date(2026, 1, 15).toISOString();
    const to = new Date(2026, 1, 16).toISOString();
    const asked = new URLSearchParams({ from, to }).toString();
    await waitFor(() => expect(sent.at(-1)?.call).toContain(asked));
    await press('Clear filters');
    expect(await screen.findByText('No changes yet')).toBeTruthy();
  });
});
