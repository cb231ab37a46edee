import type { Echo, EchoType } from '@trawl/contracts';
import { type ConsoleContent, hasAllLines, withEarlierLines } from '../console-content.js';
import type { ConsoleLine } from '../echo-buffer.js';
import { LiveRun } from './live-run.js';
import type { FromWorker, LiveView } from './messages.js';

const time = '2026-01-01T00:00:00.000Z';
const echoes = (from: number, to: number, type: EchoType = 'log'): Echo[] =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ type, msg: `line ${from + n}`, time, seq: from + n }));
const batch = (items: Echo[], executionId = 'r1') => ({
  kind: 'batch' as const,
  executionId: 'r1',
  json: JSON.stringify({ execution_id: executionId, from_seq: items[0]?.seq, items }),
});
const seqs = (lines: readonly ConsoleLine[]) =>
  lines.map(line => (line.kind === 'echo' ? line.echo.seq : -line.from_seq));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

let posted: FromWorker[];
let run: LiveRun;
const views = (): LiveView[] => posted.flatMap(message => (message.kind === 'view' ? [message.view] : []));
const last = (): LiveView => views().at(-1) as LiveView;
/** The page draws the last view, and the time until the next one passes. */
const draw = () => {
  run.take({ kind: 'drawn' });
  jest.advanceTimersByTime(100);
};

beforeEach(() => {
  jest.useFakeTimers();
  posted = [];
  run = new LiveRun(message => posted.push(message));
});
afterEach(() => jest.useRealTimers());

test('the first echoes are sent at once, later ones together when the page has drawn and 100 ms have passed', () => {
  run.take(batch(echoes(1, 1)));
  expect(views()).toHaveLength(1);
  run.take(batch(echoes(2, 2)));
  run.take({ kind: 'drawn' });
  run.take(batch(echoes(3, 3)));
  expect(views()).toHaveLength(1);
  jest.advanceTimersByTime(100);
  expect(views()).toHaveLength(2);
  expect(seqs(last().content.lines)).toEqual([1, 2, 3]);
  run.take(batch(echoes(4, 4)));
  jest.advanceTimersByTime(10_000);
  expect(views()).toHaveLength(2);
  draw();
  expect(seqs(last().content.lines)).toEqual([1, 2, 3, 4]);
  draw();
  expect(views()).toHaveLength(3);
});

test('of 30,000 echoes none is lost: each view continues the one before, in order', () => {
  let expected = 0;
  for (let from = 1; from <= 30_000; from += 250) {
    run.take(batch(echoes(from, from + 249)));
    if (from % 500 !== 1) continue;
    draw();
    const keys = [...last().content.keys].filter(key => key > 0);
    expect(keys).toEqual(range(keys[0] ?? 0, keys.at(-1) ?? 0));
    expect(keys[0]).toBeLessThanOrEqual(expected + 1);
    expected = keys.at(-1) ?? 0;
    expect(last().content.lines).toHaveLength(Math.min(100, last().content.keys.length));
  }
  draw();
  expect([last().lastSeq, last().loaded, last().isIncomplete]).toEqual([30_000, 10_000, true]);
});

test('a view has the lines that match the filter, and counts all echoes', () => {
  run.take(batch([...echoes(1, 20), ...echoes(21, 22, 'error')]));
  draw();
  expect(last().errorSeqs).toEqual([21, 22]);
  run.take({ kind: 'filter', filter: { type: 'log', text: 'LINE 2' } });
  draw();
  expect([seqs(last().content.lines), last().loaded]).toEqual([[2, 20], 22]);
});

test('the lines that the user holds can be loaded although newer echoes have replaced them', async () => {
  run.take(batch(echoes(1, 2_000)));
  const held = last().content;
  run.take({ kind: 'hold' });
  run.take(batch(echoes(2_001, 14_000)));
  draw();
  let all = held;
  for await (all of withEarlierLines(held, async key => {
    run.take({ kind: 'before', key });
    const answer = posted.at(-1);
    return answer?.kind === 'lines' ? answer.lines : [];
  }));
  expect(seqs(all.lines)).toEqual(range(1, 2_000));
});

test('lines that the worker no longer has are removed from the held ones', async () => {
  let all: ConsoleContent = { keys: Int32Array.of(1, 2, 3), lines: [{ kind: 'echo', echo: echoes(3, 3)[0] as Echo }] };
  expect(hasAllLines(all)).toBe(false);
  for await (const grown of withEarlierLines(all, async () => [])) all = grown;
  expect([[...all.keys], seqs(all.lines)]).toEqual([[3], [3]]);
});

test('batches of another run are ignored, and questions are kept apart from the lines', () => {
  run.take(batch(echoes(1, 5), 'r2'));
  run.take({ kind: 'questions', items: echoes(7, 7, 'question') });
  draw();
  expect([last().loaded, last().questions.asked.map(({ seq }) => seq)]).toEqual([0, [7]]);
});
