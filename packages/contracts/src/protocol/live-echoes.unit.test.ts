import type { EchoType } from '../echoes/echoes.js';
import { echoesJson, echoLiveJson, MAX_LIVE_ECHOES, readEchoLive } from './live-echoes.js';
import { echoLiveSchema } from './protocol.js';

const ID = '0198a1c2-1111-7000-8000-000000000001';
const TIMES = ['2026-02-15T09:30:00.000Z', '2026-02-15T09:30:00.001Z'] as const;
const TEXTS = [
  'text',
  '',
  '"quoted" \\ / \b\f\n\r\t\u0001\u001b',
  'ä 日本 \u{1f600}',
  '\ud800',
  '\u2028\u2029\u007f\u009b',
  '"},{"type":"log',
  '\\u0022',
  'x'.repeat(600_000),
];
const echoes = TEXTS.flatMap(msg =>
  (['log', 'objekt'] as const).flatMap(type =>
    [TIMES[0], TIMES[0], TIMES[1]].map((time): [EchoType, string, string] => [type, msg, time]),
  ),
);
const items = echoes.map(([type, msg, time], index) => ({ type, msg, time, seq: 5 + index }));

test('the text of live echoes is what JSON.stringify writes', () => {
  expect(`[${echoesJson(5, echoes)}]`).toBe(JSON.stringify(items));
  expect(echoesJson(5, [])).toBe('');
});

test('a frame with more echoes than the schema allows is not recognised', () => {
  const frame = (count: number) => {
    const one: [EchoType, string, string][] = [['log', 'a', '2026-02-15T09:30:00.000Z']];
    const text = `[${Array.from({ length: count }, (_, n) => echoesJson(n + 1, one)).join()}]`;
    return readEchoLive(echoLiveJson(ID, 1, text, 3));
  };
  expect(frame(MAX_LIVE_ECHOES)).not.toBeNull();
  expect(frame(MAX_LIVE_ECHOES + 1)).toBeNull();
});

test('the text of a frame is a valid frame, and is recognised', () => {
  const json = echoLiveJson(ID, 5, `[${echoesJson(5, echoes)}]`, 3);
  expect(echoLiveSchema.parse(JSON.parse(json))).toEqual({ id: ID, from_seq: 5, items, epoch: 3 });
  expect(readEchoLive(json)).toEqual({ id: ID, fromSeq: 5, items: JSON.stringify(items), epoch: 3 });
});
