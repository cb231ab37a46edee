import type { Context } from '../context.js';
import { Failure, Interrupted } from '../failure.js';
import type { ReportedTest } from '../local-run/node-test.js';
import { openWorker } from '../local-run/open-worker.js';
import { describeReplay, replayRecord } from './replay-record.js';
import { readRecord, recordFile } from './saved-records.js';

/** Replays records of a skript as tests: one fails if the replay fails, or if its rows differ. */
export async function testRecords(folder: string, names: string[], context: Context): Promise<ReportedTest[]> {
  if (names.length === 0) return [];
  const { output } = context;
  const tests: ReportedTest[] = [];
  const worker = await openWorker(folder, output);
  try {
    for (const name of names) {
      const file = recordFile(name);
      const error = await differenceOf(async () => {
        const replayed = await replayRecord(worker, folder, await readRecord(folder, name), context);
        output.note(`${replayed.isDifferent ? '✖' : '✔'} ${file}: ${describeReplay(replayed)}`);
        return replayed.isDifferent ? describeReplay(replayed) : null;
      });
      if (error !== null && !error.isTold) output.note(`✖ ${file}: ${error.text}`);
      const test = { name: `replay ${name}`, file };
      tests.push(error === null ? { ...test, state: 'passed' } : { ...test, state: 'failed', error: error.text });
    }
  } finally {
    await worker.close();
  }
  return tests;
}

async function differenceOf(replay: () => Promise<string | null>): Promise<{ text: string; isTold: boolean } | null> {
  try {
    const text = await replay();
    return text === null ? null : { text, isTold: true };
  } catch (error) {
    if (error instanceof Failure && !(error instanceof Interrupted)) return { text: error.message, isTold: false };
    throw error;
  }
}
