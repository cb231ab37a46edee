import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { compareFields, ignoredFieldsText } from '../../skript-folder/compare.js';
import { findFolder } from '../../skript-folder/find-folder.js';
import { hashesOf } from '../../skript-folder/hashes.js';
import type { Manifest } from '../../skript-folder/manifest.js';
import { readManifest } from '../../skript-folder/manifest.js';
import { hashesOfRemote, readRemote } from '../../skript-folder/remote-skript.js';
import { updateFields } from '../../skript-folder/send-changes.js';
import { inCommon, readSynced, refuseConflicts, writeSynced } from '../../skript-folder/sync.js';

export interface UpdateOptions {
  skript?: string;
  /** Overwrite fields that were changed on the platform since the last upload or download. */
  force?: boolean;
  dryRun?: boolean;
}

const NONE = { added: [], changed: [], extra: [] };

/** Sends the fields of manifest.json to the platform, without the files. */
export default async function update(options: UpdateOptions, context: Context): Promise<void> {
  const { skript, force, dryRun = false } = options;
  const folder = await findFolder(skript);
  const manifest = (await readManifest(folder)) as Manifest;
  const trawl = await connect(context);
  const remote = await readRemote(trawl, manifest.title);
  const { id } = remote.skript;
  const { changed: fields, ignored } = compareFields(manifest, remote.manifest);
  if (ignored.length > 0) context.output.warn(ignoredFieldsText(ignored));
  const theirs = hashesOfRemote(remote);
  const synced = await readSynced(folder, id);
  if (!force) refuseConflicts({ fields, files: NONE, inputs: NONE }, false, theirs, synced, 'update');
  if (!dryRun) {
    const common = inCommon(hashesOf(manifest, []), theirs, synced);
    await updateFields(trawl, id, fields, common);
    await writeSynced(folder, id, common);
  }
  const names = Object.keys(fields);
  const done =
    names.length > 0
      ? `${dryRun ? 'Would update' : 'Updated'} ${names.join(', ')} of`
      : 'Nothing changed in the manifest of';
  context.output.result(
    { skript: { id, title: manifest.title }, dry_run: dryRun, changed: names, ignored_fields: ignored },
    `${done} ${manifest.title}`,
  );
}
