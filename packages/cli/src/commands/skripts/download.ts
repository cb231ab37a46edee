import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { compareFields } from '../../skript-folder/compare.js';
import { currentTitle, skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { readManifest } from '../../skript-folder/manifest.js';
import { isFolderName, MANIFEST } from '../../skript-folder/names.js';
import { readRemote } from '../../skript-folder/remote-skript.js';
import { planWrites, writeFiles } from '../../skript-folder/write-files.js';
import { progress } from '../../terminal/progress.js';

export interface DownloadOptions {
  /** Folder for the files. */
  folder?: string;
  /** Replace local files that differ, after copying them to a backup. */
  force?: boolean;
  dryRun?: boolean;
}

/** Writes the files and inputs of a skript from the platform to its folder. */
export default async function download(
  skript: string | undefined,
  { folder, force, dryRun }: DownloadOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const wanted = await skriptOrCurrent(skript);
  const trawl = await connect(context);
  const { manifest, files, inputs } = await progress(output, 'Downloading', readRemote(trawl, wanted));
  const target = folder === undefined ? await folderFor(manifest.title) : resolve(folder);
  const texts = new Map([...files, ...inputs]);
  const local = await readManifest(target);
  // A manifest may leave out fields that have their defaults.
  const isSame = local?.title === manifest.title && Object.keys(compareFields(local, manifest).changed).length === 0;
  if (!isSame) texts.set(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
  const plan = await planWrites(target, texts);
  for (const name of plan.added) output.note(`  added    ${name}`);
  for (const name of plan.changed) output.note(`  changed  ${name}`);
  if (plan.changed.length > 0 && !force) {
    const files = plan.changed.length === 1 ? '1 local file differs' : `${plan.changed.length} local files differ`;
    throw new Failure(
      `${files} from the platform’s, so nothing was written to ${target}. To replace them and keep copies: trawl download --force`,
      EXIT.conflict,
    );
  }
  const backup = dryRun ? null : await writeFiles(target, texts, plan);
  if (backup !== null) output.note(`Copies of the replaced files: ${join(target, backup)}`);
  const result = { folder: target, added: plan.added, changed: plan.changed, backup };
  output.result(result, `${dryRun ? 'Would have downloaded' : 'Downloaded'} ${manifest.title} to ${target}`);
}

/** The current folder if it is the skript's own, otherwise a folder in it with the title as its name. */
async function folderFor(title: string): Promise<string> {
  if ((await currentTitle()) === title) return process.cwd();
  if (!isFolderName(title)) {
    throw new Failure(`${JSON.stringify(title)} cannot be the name of a folder. Name one with --folder.`, EXIT.usage);
  }
  const folder = resolve(title);
  const found = await stat(folder).catch(() => null);
  if (found && !found.isDirectory())
    throw new Failure(`${folder} is not a folder. Name another with --folder.`, EXIT.conflict);
  return folder;
}
