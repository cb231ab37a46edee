import { readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { Interrupted } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { currentTitle, findFolder } from '../../skript-folder/find-folder.js';
import { askConsent } from '../../terminal/ask.js';

export interface DeleteOptions {
  /** Delete the skript on the platform instead of the folder. */
  remote?: boolean;
  /** Do not ask. */
  yes?: boolean;
  dryRun?: boolean;
}

const INSTEAD = 'Confirm it with --yes.';

/** Deletes the folder of a skript on this computer, or the skript on the platform. */
export default async function remove(title: string, options: DeleteOptions, context: Context): Promise<void> {
  if (options.remote) await deleteRemote(title, options, context);
  else await deleteFolder(title, options, context);
}

async function deleteFolder(title: string, { yes, dryRun }: DeleteOptions, { output }: Context): Promise<void> {
  const isCurrent = (await currentTitle()) === title;
  const folder = await findFolder(isCurrent ? undefined : title);
  const count = (await readdir(folder)).length;
  if (dryRun) return output.planned(`delete ${folder} with ${count} files and folders`);
  const question = `Delete ${folder} with ${count} files and folders? The skript on the platform stays.`;
  if (!yes && !(await askConsent(question, INSTEAD))) throw new Interrupted();
  // Windows cannot delete the folder in which a process is.
  if (isCurrent) process.chdir('..');
  await rm(folder, { recursive: true });
  output.result({ deleted: folder }, `Deleted the folder ${basename(folder)}`);
}

async function deleteRemote(title: string, { yes, dryRun }: DeleteOptions, context: Context): Promise<void> {
  const trawl = await connect(context);
  const skript_id = await trawl.skriptId(title);
  const what = `${title} on the platform, with its files, inputs, input secrets, versions and schedules`;
  if (dryRun) return context.output.planned(`delete ${what}`);
  const question = `Delete ${what}?`;
  if (!yes && !(await askConsent(question, INSTEAD))) throw new Interrupted();
  const { deleted } = await unwrap(
    trawl.api.DELETE('/joint-api/skripts/{skript_id}', { params: { path: { skript_id } } }),
  );
  context.output.result({ deleted }, `Deleted ${title} on the platform`);
}
