import { rm } from 'node:fs/promises';
import type { Context } from '../../context.js';
import { isThere } from '../../local-run/is-there.js';
import { openWorker, tellOfNode, tellOfSandbox } from '../../local-run/open-worker.js';
import { type LocalStart, report, type StartOptions, startLocally } from '../../local-run/start-locally.js';
import { prepareRecord, recordFile } from '../../records/saved-records.js';
import { writeSavedRun } from '../../records/saved-run.js';
import { valuesFor } from '../../skript-folder/default-values.js';
import { findFolder } from '../../skript-folder/find-folder.js';

export interface StartCommandOptions extends StartOptions {
  /** Name of a record in the folder `records`; true for the default name. */
  record?: string | true;
}

/** Runs a skript on this computer. */
export default async function start({ record, ...options }: StartCommandOptions, context: Context): Promise<void> {
  const folder = await findFolder(options.skript);
  const name = record === true ? 'latest' : record;
  const recordTo = name === undefined ? undefined : await prepareRecord(folder, name, '--record');
  if (recordTo !== undefined) for (const path of [recordTo, `${recordTo}.json`]) await rm(path, { force: true });
  const worker = await openWorker(folder, context.output);
  try {
    tellOfSandbox(worker, context.output);
    tellOfNode(worker, context.output);
    const values = await valuesFor(folder, options);
    const started = await startLocally(
      worker,
      folder,
      { ...options, ...values, ...(recordTo !== undefined && { recordTo }) },
      context,
    );
    const { run } = started;
    process.on('SIGINT', run.stop).on('SIGTERM', run.stop);
    const outcome = await run.ended;
    if (name !== undefined && recordTo !== undefined) {
      const isSaved = await isThere(recordTo);
      if (isSaved) await saveRun(recordTo, started, outcome.output);
      const saved = `Saved ${recordFile(name)}. Replay it with: trawl replay ${name}`;
      context.output.note(isSaved ? saved : `The run has no record. ${run.recordProblem() ?? ''}`.trim());
    }
    report(outcome, context);
  } finally {
    await worker.close();
  }
}

async function saveRun(recordTo: string, { input, rows }: LocalStart, output: string | null): Promise<void> {
  const run = { input, output: output === null ? null : JSON.parse(output), ...(await rows()) };
  await writeSavedRun(`${recordTo}.json`, run);
}
