import { type Trawl, unwrap } from '@trawl/client';
import { LIMITS } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { hashesOf } from './hashes.js';
import { MANIFEST } from './names.js';
import type { SkriptFolder } from './read-folder.js';
import { hashesOfRemote, type RemoteSkript, readRemote, readRemoteIfThere } from './remote-skript.js';
import { type Changes, changeLines, compare, listSecrets, sendChanges } from './send-changes.js';
import { checkOwnFolder, inCommon, readSynced, refuseConflicts, writeSynced } from './sync.js';
import { endConflicts } from './write-files.js';
import { zip } from './zip.js';

export interface UploadOptions {
  /** Also send input secrets that the platform has already. */
  secrets?: boolean;
  /** Also delete files and inputs that only the platform has. */
  delete?: boolean;
  /** Overwrite what was changed on the platform since the last upload or download. */
  force?: boolean;
  /** Send nothing. */
  dryRun?: boolean;
}

export interface UploadResult {
  skript: { id: string | null; title: string };
  created: boolean;
  dry_run: boolean;
  /** A line for each change. */
  changes: string[];
  /** Files and inputs that only the platform has. */
  only_on_platform: string[];
  skipped: string[];
  /** Fields of the manifest that the platform does not know. */
  ignored_fields: string[];
}

/** Sends the contents of a folder: what changed, or the whole of a new skript. */
export async function uploadFolder(trawl: Trawl, local: SkriptFolder, options: UploadOptions): Promise<UploadResult> {
  const remote = await readRemoteIfThere(trawl, local.manifest.title);
  return remote ? uploadChanges(trawl, local, remote, options) : create(trawl, local, options.dryRun ?? false);
}

async function create(trawl: Trawl, local: SkriptFolder, isDryRun: boolean): Promise<UploadResult> {
  const { manifest, files, inputs, secrets, skipped } = local;
  const texts = new Map([[MANIFEST, JSON.stringify(manifest)], ...files, ...inputs, ...secrets]);
  const result = {
    skript: { id: null as string | null, title: manifest.title },
    created: true,
    dry_run: isDryRun,
    changes: changeLines(allOf([...texts.keys()]), false, isDryRun),
    only_on_platform: [],
    skipped,
    ignored_fields: [] as string[],
  };
  if (!isDryRun) {
    await checkOwnFolder(local.folder);
    // The types describe a form. The operation takes the archive itself, too.
    const body = (await zip(texts)) as never;
    const answer = await unwrap(
      trawl.api.POST('/joint-api/skripts/upload', {
        body,
        bodySerializer: archive => archive,
        headers: { 'Content-Type': 'application/zip' },
        // If somebody has just created a skript of this title, the upload must not replace it.
        params: { header: { 'Idempotency-Key': crypto.randomUUID() }, query: { overwrite: false } },
      }),
    );
    const { id } = answer.skript;
    result.skript.id = id;
    result.ignored_fields = answer.ignored_fields;
    const stored = await readRemote(trawl, id);
    await writeSynced(local.folder, id, hashesOf(stored.manifest, [...files, ...inputs]));
  }
  return result;
}

const allOf = (names: string[]): Changes => ({
  fields: {},
  ignoredFields: [],
  files: { added: names, changed: [], extra: [] },
  inputs: { added: [], changed: [], extra: [] },
  secrets: [],
  keptSecrets: [],
});

/**
 * Refuses an upload that would leave more files or inputs on the platform than a skript may have, before anything is
 * sent.
 */
function checkTogether(local: SkriptFolder, { files, inputs }: Changes): void {
  const { partsPerSkript } = LIMITS;
  for (const [kind, count, { added, extra }] of [
    ['files', local.files.size, files],
    ['inputs', local.inputs.size, inputs],
  ] as const) {
    const together = count + extra.length;
    if (added.length === 0 || together <= partsPerSkript) continue;
    throw new Failure(
      `With the ${extra.length} that only the platform has, the skript would have ${together} ${kind}; it may have ${partsPerSkript}. Delete those with: trawl upload --delete`,
      EXIT.usage,
    );
  }
}

async function uploadChanges(
  trawl: Trawl,
  local: SkriptFolder,
  remote: RemoteSkript,
  { secrets = false, delete: removes = false, force = false, dryRun = false }: UploadOptions,
): Promise<UploadResult> {
  const { id, title } = remote.skript;
  const stored = (await listSecrets(trawl, id)).map(({ name }) => name);
  const changes = compare(local, remote, stored, secrets);
  const [ours, theirs] = [hashesOf(local.manifest, [...local.files, ...local.inputs]), hashesOfRemote(remote)];
  const synced = await readSynced(local.folder, id);
  if (!force) refuseConflicts(changes, removes, theirs, synced, 'upload');
  if (!removes) checkTogether(local, changes);
  if (!dryRun) {
    const common = inCommon(ours, theirs, synced);
    // Deleted on both sides.
    for (const name of common.keys()) if (!ours.has(name) && !theirs.has(name)) common.delete(name);
    try {
      await sendChanges(trawl, local, remote, changes, { removes, force, common });
      await endConflicts(local.folder);
    } finally {
      // Parts that an upload sends before it fails are no conflicts for the next one.
      await writeSynced(local.folder, id, common);
    }
  }
  return {
    skript: { id, title },
    created: false,
    dry_run: dryRun,
    changes: changeLines(changes, removes, dryRun),
    only_on_platform: removes ? [] : [...changes.files.extra, ...changes.inputs.extra],
    skipped: [
      ...local.skipped,
      ...changes.keptSecrets.map(name => `${name} (the platform has it: --secrets sends it)`),
    ],
    ignored_fields: changes.ignoredFields,
  };
}
