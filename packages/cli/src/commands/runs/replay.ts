import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ON_MISS } from '@trawl/contracts';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { openWorker, tellOfSandbox } from '../../local-run/open-worker.js';
import { downloadRecord } from '../../records/download-record.js';
import { describeReplay, replayRecord } from '../../records/replay-record.js';
import { readRecord } from '../../records/saved-records.js';
import { UUID } from '../../remote-run/find-run.js';
import { connect } from '../../session/connect.js';
import { findFolder } from '../../skript-folder/find-folder.js';

export interface ReplayOptions {
  skript?: string;
  /** As given: one of `ON_MISS`, if it is valid. */
  onMiss?: string;
}

/** Runs the code of a folder against the record of a run: a run of the platform, or one in the folder `records`. */
export default async function replay(
  named: string,
  { skript, onMiss: given = 'fail' }: ReplayOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const onMiss = ON_MISS.find(way => way === given);
  if (!onMiss) throw new Failure(`--on-miss must be ${ON_MISS.join(' or ')}; you gave ${given}.`, EXIT.usage);
  const folder = await findFolder(skript);
  const temporary = await mkdtemp(join(tmpdir(), 'trawl-replay-'));
  try {
    const record = UUID.test(named) ? await fromPlatform(named, temporary, context) : await readRecord(folder, named);
    const worker = await openWorker(folder, output);
    try {
      tellOfSandbox(worker, output);
      const replayed = await replayRecord(worker, folder, { ...record, onMiss }, context);
      const { comparison, inserted } = replayed;
      output.result({ ...comparison, inserted }, describeReplay(replayed));
      if (replayed.isDifferent) throw new Failure('The replay differs from the recorded run.', EXIT.failed);
    } finally {
      await worker.close();
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const fromPlatform = async (id: string, folder: string, context: Context) =>
  downloadRecord(await connect(context), id, join(folder, `${id}.record`));
