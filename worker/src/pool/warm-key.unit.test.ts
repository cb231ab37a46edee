import type { Offer } from '@trawl/contracts';
import { warmKey } from './warm-key.js';

const ID = '0190f7a2-0000-7000-8000-000000000001';
const OFFER: Offer = {
  n: 1,
  id: ID,
  skript: { id: ID, title: 'Test skript' },
  environment: 'nodejs',
  bundle: 'hash',
  lock: null,
  owner_id: ID,
  warm: true,
  input: null,
  input_secret: '{"password":"one"}',
  limits: { time_ms: 1_000, pause_ms: 3_600_000, output_bytes: 1_000 },
  ends_with_lease: false,
  token: 'token',
};

const DIFFERENT: Partial<Offer>[] = [
  { owner_id: '0190f7a2-0000-7000-8000-000000000002' },
  { bundle: 'other' },
  { lock: 'other' },
  { input_secret: '{"password":"two"}' },
  { input_secret: null },
  { limits: { time_ms: 1_001, pause_ms: 3_600_000, output_bytes: 1_000 } },
  { limits: { time_ms: 1_000, pause_ms: 3_600_000, output_bytes: 1_001 } },
  { environment: 'browser' },
  { proxy: 'shops' },
];

test.each(DIFFERENT)('a run that differs in %j has another warm key', part => {
  expect(warmKey({ ...OFFER, ...part })).not.toBe(warmKey(OFFER));
});

test('runs that differ only in id, input, token or lease have the same warm key', () => {
  const id = '0190f7a2-0000-7000-8000-000000000003';
  expect(warmKey({ ...OFFER, id, input: '1', token: 'other', ends_with_lease: true })).toBe(warmKey(OFFER));
});

test('a run that is not warm has no warm key, and a warm key does not contain the secret', () => {
  expect(warmKey({ ...OFFER, warm: false })).toBeNull();
  expect(warmKey(OFFER)).not.toContain('one');
});
