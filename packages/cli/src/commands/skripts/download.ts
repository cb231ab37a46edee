import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { compareFields } from '../../skript-folder/compare.js';
import { currentTitle, skriptOrCurrent } from '../../skript-folder/find-folder.js';
import type { Hashes } from '../../skript-folder/hashes.js';
import { type Manifest, readManifest } from '../../skript-folder/manifest.js';
import { mergeManifest } from '../../skript-folder/merge-manifest.js';
import { FROM_PLATFORM, isFolderName, MANIFEST } from '../../skript-folder/names.js';
import { hashesOfRemote, type RemoteSkript, readRemote } from '../../skript-folder/remote-skript.js';
import { readSynced, writeSynced } from '../../skript-folder/sync.js';
import { isInConflict, planWrites, type WritePlan, writeFiles } from '../../skript-folder/write-files.js';
import { progress } from '../../terminal/progress.js';

export interface DownloadOptions {
  /** Folder for the files. */
  folder?: string;
  /** Replace local files that differ, after copying them to a backup. */
  force?: boolean;
  dryRun?: boolean;
}

/** Brings a skript's folder up to date with the platform: its files, inputs and manifest. */
export default async function download(
  skript: string | undefined,
  { folder, force = false, dryRun = false }: DownloadOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const wanted = await skriptOrCurrent(skript);
  const trawl = await connect(context);
  const remote = await progress(output, 'Downloading', readRemote(trawl, wanted));
  const { title } = remote.manifest;
  const target = folder === undefined ? await folderFor(title) : resolve(folder);
  const local = await readManifest(target);
  const synced = await readSynced(target, remote.skript.id);
  if (local && local.title !== title && !synced && !force) {
    throw new Failure(
      `${target} is the folder of another skript, ${JSON.stringify(local.title)}. Name another with --folder.`,
      EXIT.conflict,
    );
  }
  const { texts, plan } = await planDownload(target, local, remote, synced ?? new Map(), force);
  const verbs = dryRun
    ? { added: 'would add   ', restored: 'would restore', changed: 'would change', deleted: 'would delete' }
    : { added: 'added   ', restored: 'restored', changed: 'changed ', deleted: 'deleted ' };
  for (const kind of ['added', 'restored', 'changed', 'deleted'] as const) {
    for (const name of plan[kind]) output.note(`  ${verbs[kind]} ${name}`);
  }
  if (plan.restored.length > 0)
    output.note('You deleted the restored files only here. To delete files on both sides: trawl upload --delete');
  if (plan.kept.length > 0) output.note(`Changed only here, kept: ${plan.kept.join(', ')}`);
  const backup = dryRun ? null : await writeFiles(target, texts, plan);
  if (!dryRun) await writeSynced(target, remote.skript.id, hashesOfRemote(remote));
  if (backup !== null) output.note(`Copies of the replaced files: ${join(target, backup)}`);
  output.result(
    { folder: target, dry_run: dryRun, ...plan, backup },
    `${dryRun ? 'Would download' : 'Downloaded'} ${title} to ${target}`,
  );
  if (plan.conflicts.length > 0) throw new Failure(conflictText(target, plan.conflicts), EXIT.conflict);
}

/** Compares a folder with the platform. Returns the texts of the platform and what to do with each. */
async function planDownload(
  target: string,
  local: Manifest | null,
  remote: RemoteSkript,
  synced: Hashes,
  force: boolean,
): Promise<{ texts: Map<string, string>; plan: WritePlan }> {
  const texts = new Map([...remote.files, ...remote.inputs]);
  const plan = await planWrites(target, texts, synced, force);
  const { manifest, conflicts } = local
    ? mergeManifest(local, remote.manifest, synced, force)
    : { manifest: remote.manifest, conflicts: [] };
  // One name cannot have two texts: with conflicts, the manifest stays, and all of the platform's goes beside it.
  const isSame = local !== null && Object.keys(compareFields(local, remote.manifest).changed).length === 0;
  const isConflict = conflicts.length > 0 || (!force && !isSame && (await isInConflict(target, MANIFEST)));
  if (isConflict) plan.conflicts.push(MANIFEST);
  else if (manifest) plan[local ? 'changed' : 'added'].push(MANIFEST);
  texts.set(MANIFEST, manifestText(isConflict || !manifest ? remote.manifest : manifest));
  return { texts, plan };
}

const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

const conflictText = (target: string, names: string[]): string =>
  `Different here and on the platform: ${names.join(', ')}. Yours stay, the platform’s go to ${join(target, FROM_PLATFORM)}. Put them together in your files, then: trawl upload. To replace yours and keep copies: trawl download --force`;

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
