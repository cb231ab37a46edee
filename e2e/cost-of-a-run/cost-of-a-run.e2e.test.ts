/**
 * Counts the programs and messages of a fresh run; `run-cost.integration.test.ts` of the backend counts its statements.
 * Times differ from machine to machine; these numbers do not, so a step that a change adds to every run shows here.
 */
import { basename } from 'node:path';
import { FaultProxy } from '../chaos/fault-proxy.js';
import { Platform } from '../harness/platform.js';
import { freePortPair } from '../harness/ports.js';
import { ExecCounter } from './exec-counter.js';

const RUNS = 40;
const RUNS_BEFORE = 10;

let proxy: FaultProxy;
let platform: Platform;
let programs: ExecCounter | null;
const messages: string[] = [];

beforeAll(async () => {
  const port = await freePortPair();
  proxy = await FaultProxy.open({
    target: `http://127.0.0.1:${port}`,
    fate: ({ from, event, isAcknowledgement }) => {
      messages.push(`${from}: ${event}${isAcknowledgement ? ', acknowledged' : ''}`);
      return 'pass';
    },
  });
  platform = await Platform.start({ port, workerEnv: { TRAWL_URL: proxy.url } });
  programs = ExecCounter.open();
});

afterAll(async () => {
  programs?.close();
  await platform?.close();
  await proxy?.close();
});

/**
 * Returns the number of each for one run. Work that comes by the clock, such as the look for due work, or once for many
 * runs is rarer than every second run, so it is missing.
 */
function perRun(noted: string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const each of noted) counts.set(each, (counts.get(each) ?? 0) + 1);
  return Object.fromEntries(
    [...counts].map(([each, count]) => [each, Math.round(count / RUNS)] as const).filter(([, count]) => count > 0),
  );
}

function byName(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([path, count]) => [basename(path), count]));
}

test('a fresh run takes two programs and two messages with their acknowledgements', async () => {
  const skriptId = await platform.skript('Answers', { 'main.js': 'module.exports = async input => input;' });
  for (let run = 0; run < RUNS_BEFORE; run++) await platform.startRun(skriptId, { run });
  programs?.clear();
  messages.length = 0;

  for (let run = 0; run < RUNS; run++) {
    const { body } = await platform.startRun(skriptId, { run });
    expect(body).toMatchObject({ action: 'end', output: { run } });
  }

  expect(perRun(messages)).toEqual({
    'backend: offer': 1,
    'worker: offer, acknowledged': 1,
    'worker: finish': 1,
    'backend: finish, acknowledged': 1,
  });
  // Most systems let only root trace, so elsewhere this is not counted.
  if (programs) expect(byName(perRun(programs.executed()))).toEqual({ bwrap: 1, node: 1 });
});
