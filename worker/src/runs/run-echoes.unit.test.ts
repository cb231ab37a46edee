import { setTimeout as delay } from 'node:timers/promises';
import { Redaction } from '../redaction/redaction.js';
import type { Spool } from '../spool/spool.js';
import type { LiveView } from './live-view.js';
import { RunEchoes } from './run-echoes.js';

jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn(async () => undefined) }));

const spool = { append: (type: string, time: string, msg: string) => ({ type, time, msg, seq: 1 }), full: false };
const live = { add: () => undefined, pace: () => undefined };

test('redacting the echoes of a run takes at most a twentieth of the time, as the worker pauses in between', () => {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const redaction = {
    addSession: () => {
      nowMs += 6;
    },
    text: (text: string) => {
      nowMs += 6;
      return text;
    },
  };
  const echoes = new RunEchoes(
    spool as unknown as Spool,
    live as unknown as LiveView,
    redaction as unknown as Redaction,
    () => undefined,
  );
  echoes.redactSession('{}');
  expect(echoes.rest()).toBeUndefined();
  echoes.addLine('log', 'two');
  expect(echoes.rest()).toBeDefined();
  expect(delay).toHaveBeenCalledWith(12 * 19);
  expect(echoes.rest()).toBeUndefined();
});

test('of echoes that arrive together, those that still fit are saved and shown, in order', () => {
  const room = 2;
  const shown: unknown[] = [];
  const echoes = new RunEchoes(
    {
      appendAll: () => null,
      append: (type: string, time: string, msg: string) =>
        shown.length < room ? { type, time, msg, seq: shown.length + 1 } : null,
    } as unknown as Spool,
    { add: (seq: number, added: unknown[]) => shown.push([seq, added]) } as unknown as LiveView,
    new Redaction(null),
    () => undefined,
  );
  const time = '2026-01-02T03:04:05.678Z';
  echoes.addAll(['one', 'two', 'three'].map(msg => ['log', msg, time]));
  expect(shown).toEqual([
    [1, [['log', 'one', time]]],
    [2, [['log', 'two', time]]],
  ]);
});
