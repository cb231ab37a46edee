import { type Trawl, unwrap } from '@trawl/client';
import { MANIFEST } from './names.js';
import type { SkriptFolder } from './read-folder.js';
import { type RemoteSkript, readRemoteIfThere } from './remote-skript.js';
import { changeLines, compare, listSecrets, sendChanges } from './send-changes.js';
import { zip } from './zip.js';

export interface UploadOptions {
  /** Also send input secrets that the platform has already. */
  secrets?: boolean;
  /** Also delete files and inputs that only the platform has. */
  delete?: boolean;
  /** Send nothing. */
  dryRun?: boolean;
}

export interface UploadResult {
  skript: { id: string | null; title: string };
  created: boolean;
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
    changes: [...texts.keys()].map(name => `added    ${name}`),
    only_on_platform: [],
    skipped,
    ignored_fields: [] as string[],
  };
  if (!isDryRun) {
    // The types describe a form. The operation takes the archive itself, too.
    const body = (await zip(texts)) as never;
    const answer = await unwrap(
      trawl.api.POST('/joint-api/skripts/upload', {
        body,
        bodySerializer: archive => archive,
        headers: { 'Content-Type': 'application/zip' },
        params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      }),
    );
    result.skript.id = answer.skript.id;
    result.ignored_fields = answer.ignored_fields;
  }
  return result;
}

async function uploadChanges(
  trawl: Trawl,
  local: SkriptFolder,
  remote: RemoteSkript,
  { secrets = false, delete: removes = false, dryRun }: UploadOptions,
): Promise<UploadResult> {
  const { id, title } = remote.skript;
  const stored = (await listSecrets(trawl, id)).map(({ name }) => name);
  const changes = compare(local, remote, stored, secrets);
  if (!dryRun) await sendChanges(trawl, local, remote, changes, removes);
  return {
    skript: { id, title },
    created: false,
    changes: changeLines(changes, removes),
    only_on_platform: removes ? [] : [...changes.files.extra, ...changes.inputs.extra],
    skipped: [
      ...local.skipped,
      ...changes.keptSecrets.map(name => `${name} (the platform has it: --secrets sends it)`),
    ],
    ignored_fields: changes.ignoredFields,
  };
}
