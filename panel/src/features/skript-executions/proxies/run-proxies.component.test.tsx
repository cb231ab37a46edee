import { screen, within } from '@testing-library/react';
import type { Execution } from '../../../api/entities.js';
import { listOf, press, sent, showScreen } from '../../../test-screen.js';
import RunProxies from './run-proxies.js';

const LIST = 'GET /joint-api/skript-execution/r1/proxies';
const RUN = { id: 'r1', action: 'end' } as Execution;
const GATE = {
  id: 'x1',
  pool: 'residential',
  address: 'http://gate.example:8080',
  connections: 12_000,
  failures: 14,
  bytes_sent: 2_048,
  bytes_received: 3 * 1024 ** 2,
  cost: 0.03,
};

it('the proxies of a run are listed with their figures, those with the most bytes first', async () => {
  showScreen(<RunProxies execution={RUN} />, { [LIST]: listOf(GATE) });
  const row = (await screen.findByText('http://gate.example:8080')).closest('tr') as HTMLElement;
  const texts = within(row)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);
  expect(texts).toEqual(expect.arrayContaining(['residential', '12,000', '14', '3.0 MiB', '2.0 KiB']));
  expect(sent[0]?.call).toContain('sort=-bytes_received');
  await press('Failures');
  await screen.findByText('http://gate.example:8080');
  expect(sent.at(-1)?.call).toContain('sort=failures');
});

it('a run whose proxies were not counted one by one says why the list is empty', async () => {
  showScreen(<RunProxies execution={RUN} />, { [LIST]: listOf() });
  await screen.findByText('No figures of single proxies');
});
