import { screen } from '@testing-library/react';
import type { Execution } from '../../../api/entities.js';
import { showScreen } from '../../../test-screen.js';
import { ExecutionDetails } from './execution-details.js';

const RUN = {
  id: 'r1',
  skript: { id: 's1', name: 'Books', category: '' },
  attempt: 1,
  updated_at: '2026-11-28T03:00:00.000Z',
  proxy_use: null,
} as Execution;
const use = { connections: 240, failures: 1, bytes_sent: 2_048, bytes_received: 3 * 1024 ** 2, cost: 0.03 };

const textOf = (execution: Execution) => {
  showScreen(<ExecutionDetails execution={execution} />, {});
  return screen.getByRole('region', { name: 'Details' }).textContent;
};

it('the details of a run say what it did with proxies, and its cost if the pools have a price', () => {
  const text = textOf({ ...RUN, proxy_use: use } as Execution);
  expect(text).toContain('240 connections, 1 failure');
  expect(text).toContain('3.0 MiB received, 2.0 KiB sent');
  expect(text).toContain('Proxy cost0.03');
});

it('the details of a run leave out the cost of pools without a price', () => {
  expect(textOf({ ...RUN, proxy_use: { ...use, cost: null } } as Execution)).not.toContain('Proxy cost');
});

it('the details of a run without a pool have nothing about proxies', () => {
  expect(textOf(RUN)).not.toMatch(/prox/i);
});
