import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { compareFields, ignoredFieldsText } from '../../skript-folder/compare.js';
import { findFolder } from '../../skript-folder/find-folder.js';
import type { Manifest } from '../../skript-folder/manifest.js';
import { readManifest } from '../../skript-folder/manifest.js';
import { readRemote } from '../../skript-folder/remote-skript.js';
import { updateFields } from '../../skript-folder/send-changes.js';

/** Sends the fields of manifest.json to the platform, without the files. */
export default async function update({ skript }: { skript?: string }, context: Context): Promise<void> {
  const manifest = (await readManifest(await findFolder(skript))) as Manifest;
  const trawl = await connect(context);
  const remote = await readRemote(trawl, manifest.title);
  const { changed: fields, ignored } = compareFields(manifest, remote.manifest);
  if (ignored.length > 0) context.output.warn(ignoredFieldsText(ignored));
  const names = Object.keys(fields);
  if (names.length > 0) await updateFields(trawl, remote.skript.id, fields);
  const done = names.length > 0 ? `Updated ${names.join(', ')} of` : 'Nothing changed in the manifest of';
  context.output.result(
    { skript: { id: remote.skript.id, title: manifest.title }, changed: names, ignored_fields: ignored },
    `${done} ${manifest.title}`,
  );
}
