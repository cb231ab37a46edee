import { relative } from 'node:path';
import type { Context } from '../../context.js';
import { downloadRecord } from '../../records/download-record.js';
import { prepareRecord } from '../../records/saved-records.js';
import { writeSavedRun } from '../../records/saved-run.js';
import { findRun } from '../../remote-run/find-run.js';
import { connect } from '../../session/connect.js';
import { findFolder } from '../../skript-folder/find-folder.js';

export interface PullOptions {
  skript?: string;
  /** Name of the record in the folder. */
  name?: string;
}

/** Saves the record of a run, its input and its rows in the folder `records` of a skript, for `trawl test`. */
export default async function pull(
  named: string | undefined,
  { skript, name }: PullOptions,
  context: Context,
): Promise<void> {
  const folder = await findFolder(skript);
  const trawl = await connect(context);
  const id = await findRun(trawl, named);
  const path = await prepareRecord(folder, name ?? id, '--name');
  const { run } = await downloadRecord(trawl, id, path);
  await writeSavedRun(`${path}.json`, run);
  context.output.result({ path }, `Saved ${relative(process.cwd(), path)}. Replay it with: trawl replay ${name ?? id}`);
}
