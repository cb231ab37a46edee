import { gunzipSync } from 'node:zlib';
import { type Exchange, exchangeParts } from '@trawl/contracts';
import { Redaction } from '../../redaction/redaction.js';
import { evidenceOf } from './evidence.js';
import { HeldExchanges } from './held-exchanges.js';
import { RunExchanges } from './run-exchanges.js';

const MB = 1024 * 1024;
const redaction = new Redaction(null);

/** A run that saw 4 MB. */
function seen(): RunExchanges {
  const run = new RunExchanges();
  for (let sequence = 1; sequence <= 16; sequence += 1) {
    const body = Buffer.alloc(256 * 1024, `page ${sequence} `);
    const exchange: Exchange = {
      sequence,
      started_at: '2026-01-02T03:04:05.678Z',
      duration_ms: 5,
      via: 'http',
      method: 'GET',
      url: `http://shop.example/${sequence}`,
      request_headers: [],
      request_body: new Uint8Array(),
      status: 200,
      status_text: 'OK',
      response_headers: [],
      body,
      body_bytes: body.length,
      is_cut: false,
      error: null,
    };
    const { head, data } = exchangeParts(exchange);
    run.add(head, Buffer.from(data), JSON.stringify(head).length);
  }
  return run;
}

it('many runs that fail at once take a limited memory, and one of them is packed at a time', async () => {
  let [active, most] = [0, 0];
  const held = new HeldExchanges(async (...args) => {
    active += 1;
    most = Math.max(most, active);
    const gz = await evidenceOf(...args);
    active -= 1;
    return gz;
  });
  const ids = Array.from({ length: 30 }, (_, n) => `run-${n}`);
  for (const [n, id] of ids.entries()) {
    held.hold({ id, owner_id: `account-${n % 3}` }, seen(), redaction);
    held.finished(id, true);
    expect(held.bytes).toBeLessThanOrEqual(64 * MB);
  }
  const parts = await Promise.all(ids.map(id => held.read({ id, from: 0 })));
  expect(most).toBe(1);
  const kept = parts.filter(({ bytes }) => bytes > 0);
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(ids.length);
  for (const { gz } of kept) expect(JSON.parse(gunzipSync(gz).toString()).exchanges).toHaveLength(16);
  // The platform has read them.
  expect(held.bytes).toBe(0);
});

it('a packed run no longer holds what it was packed from', async () => {
  const held = new HeldExchanges();
  held.hold({ id: 'run', owner_id: 'account' }, seen(), redaction);
  held.finished('run', true);
  expect(held.bytes).toBeGreaterThan(4 * MB);
  // A part beyond the end is none, and leaves the run in memory for the platform to read again.
  await held.read({ id: 'run', from: -100 * MB });
  expect(held.bytes).toBeGreaterThan(0);
  expect(held.bytes).toBeLessThan(MB);
  expect((await held.read({ id: 'run', from: 0 })).bytes).toBeGreaterThan(0);
  expect(await held.read({ id: 'run', from: 0 })).toMatchObject({ bytes: 0 });
});

it('many failed runs of an account leave those of another one in memory', async () => {
  const held = new HeldExchanges();
  held.hold({ id: 'quiet', owner_id: 'quiet' }, seen(), redaction);
  for (let n = 0; n < 30; n += 1) held.hold({ id: `noisy-${n}`, owner_id: 'noisy' }, seen(), redaction);
  expect(held.bytes).toBeLessThanOrEqual(37 * MB);
  const bytesOf = async (id: string) => (await held.read({ id, from: 0 })).bytes;
  expect(await bytesOf('quiet')).toBeGreaterThan(0);
  expect(await bytesOf('noisy-29')).toBeGreaterThan(0);
  expect(await bytesOf('noisy-0')).toBe(0);
});
