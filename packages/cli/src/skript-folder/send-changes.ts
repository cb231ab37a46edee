import { type components, type Trawl, TrawlError, unwrap } from '@trawl/client';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { compareFields, compareTexts, type Difference, isSameJson } from './compare.js';
import { fieldPart, type Hashes, hashOfField, hashOfText } from './hashes.js';
import { parseJson } from './manifest.js';
import { localPart, MANIFEST } from './names.js';
import type { SkriptFolder } from './read-folder.js';
import type { RemoteSkript } from './remote-skript.js';

type Schemas = components['schemas'];

/** The changes that an upload makes on the platform. */
export interface Changes {
  /** Fields of the manifest that changed, with their new values. */
  fields: Record<string, unknown>;
  /** Names of fields of the manifest that the platform does not know. */
  ignoredFields: string[];
  files: Difference;
  inputs: Difference;
  /** Names of the input secrets to send. */
  secrets: string[];
  /** Names of input secrets that the platform has already, so that they are not sent. */
  keptSecrets: string[];
}

/**
 * Compares a folder with the platform.
 *
 * See docs/decisions/0200-uploads-keep-changes-on-the-platform.md.
 * @param remoteSecrets names of the input secrets on the platform
 * @param sendSecrets whether to replace those
 */
export function compare(
  local: SkriptFolder,
  remote: RemoteSkript,
  remoteSecrets: readonly string[],
  sendSecrets: boolean,
): Changes {
  const isSent = (name: string) => sendSecrets || !remoteSecrets.includes(name);
  const names = [...local.secrets.keys()];
  const { changed, ignored } = compareFields(local.manifest, remote.manifest);
  return {
    fields: changed,
    ignoredFields: ignored,
    files: withoutLocal(compareTexts(local.files, remote.files)),
    inputs: compareTexts(local.inputs, remote.inputs, isSameJson),
    secrets: names.filter(isSent),
    keptSecrets: names.filter(name => !isSent(name)),
  };
}

/** An upload says nothing about files that always stay on this computer, so it deletes none of these. */
const withoutLocal = (files: Difference): Difference => ({
  ...files,
  extra: files.extra.filter(name => localPart(name) === null),
});

const DONE = { add: 'added   ', change: 'changed ', delete: 'deleted ', send: 'sent    ' };
const PLANNED = { add: 'would add   ', change: 'would change', delete: 'would delete', send: 'would send  ' };

/** Returns a line for each change, such as `changed  main.js`. */
export function changeLines({ fields, files, inputs, secrets }: Changes, removes: boolean, isDryRun: boolean) {
  const verbs = isDryRun ? PLANNED : DONE;
  const names = Object.keys(fields);
  const lines = names.length > 0 ? [`${verbs.change} ${MANIFEST} (${names.join(', ')})`] : [];
  for (const { added, changed, extra } of [files, inputs]) {
    lines.push(...added.map(name => `${verbs.add} ${name}`), ...changed.map(name => `${verbs.change} ${name}`));
    if (removes) lines.push(...extra.map(name => `${verbs.delete} ${name}`));
  }
  return [...lines, ...secrets.map(name => `${verbs.send} ${name}`)];
}

export interface SendOptions {
  /** Also delete files and inputs that only the platform has. */
  removes: boolean;
  /** Overwrite changes that somebody makes on the platform meanwhile. */
  force: boolean;
  /** Hashes that both sides have in common. Gets that of each part that has been sent. */
  common: Hashes;
}

/** Sends the changes, one call for each. */
export async function sendChanges(
  { api }: Trawl,
  local: SkriptFolder,
  remote: RemoteSkript,
  { fields, files, inputs, secrets }: Changes,
  options: SendOptions,
): Promise<void> {
  const { removes, force, common } = options;
  const { skript } = remote;
  const skript_id = skript.id;
  await updateFields({ api }, skript_id, fields, common);
  const fileIds = new Map(skript.files.map(({ name, id }) => [name, id]));
  if (removes) {
    // First, because the platform refuses more files than a skript may have, also for a moment.
    for (const name of files.extra) {
      const params = { path: { skriptFile_id: fileIds.get(name) ?? '' } };
      await unwrap(api.DELETE('/joint-api/skript-files/{skriptFile_id}', { params }));
      common.delete(name);
    }
  }
  for (const name of files.added) {
    const content = local.files.get(name) ?? '';
    await unwrap(api.POST('/joint-api/skript-files/addnew', { body: { skript_id, name, content } }));
    common.set(name, hashOfText(name, content));
  }
  for (const name of files.changed) {
    const read = force ? null : hashOfText(name, remote.files.get(name) ?? '');
    await changeFile({ api }, fileIds.get(name) ?? '', name, local.files.get(name) ?? '', read);
    common.set(name, hashOfText(name, local.files.get(name) ?? ''));
  }
  await sendInputs({ api }, local, skript_id, inputs, options);
  await sendSecrets({ api }, local, skript_id, secrets);
}

/** @param read hash of the content that may be replaced; null for any */
async function changeFile(
  { api }: Pick<Trawl, 'api'>,
  skriptFile_id: string,
  name: string,
  content: string,
  read: string | null,
): Promise<void> {
  const path = { skriptFile_id };
  const params = { path, header: read === null ? {} : { 'If-Match': `"${read}"` } };
  const body = { content } as Schemas['UpdateSkriptFile'];
  try {
    await unwrap(api.PUT('/joint-api/skript-files/{skriptFile_id}', { params, body }));
  } catch (error) {
    if (!(error instanceof TrawlError) || error.status !== 412) throw error;
    const stored = await unwrap(api.GET('/joint-api/skript-files/{skriptFile_id}', { params: { path } }));
    // The client repeats a call whose answer was lost, and then finds its own change.
    if (stored.hash === hashOfText(name, content)) return;
    throw new Failure(
      `Somebody changed ${name} on the platform during this upload, so it was not sent. Files before it were. To start again: trawl upload`,
      EXIT.conflict,
    );
  }
}

/** Sends changed fields of the manifest, if there are any. Adds what the platform has stored to `common`. */
export async function updateFields(
  { api }: Pick<Trawl, 'api'>,
  skript_id: string,
  fields: Record<string, unknown>,
  common: Hashes,
): Promise<void> {
  if (Object.keys(fields).length === 0) return;
  const body = fields as Schemas['UpdateSkript'];
  const stored = await unwrap(api.PUT('/joint-api/skripts/{skript_id}', { params: { path: { skript_id } }, body }));
  for (const name of Object.keys(fields)) {
    common.set(fieldPart(name), hashOfField((stored as Record<string, unknown>)[name]));
  }
}

async function sendInputs(
  { api }: Pick<Trawl, 'api'>,
  local: SkriptFolder,
  skript_id: string,
  { added, changed, extra }: Difference,
  { removes, common }: SendOptions,
): Promise<void> {
  const inputText = (name: string) => local.inputs.get(name) ?? '';
  const inputValue = (name: string) => parseJson(inputText(name), name) as Schemas['CreateInput']['val'];
  const removed = removes ? extra : [];
  const query = { skript_id, limit: 1_000 };
  const isListNeeded = changed.length + removed.length > 0;
  const items = isListNeeded ? (await unwrap(api.GET('/joint-api/inputs/list', { params: { query } }))).items : [];
  const pathOf = (name: string) => ({ path: { input_id: items.find(item => item.name === name)?.id ?? '' } });
  for (const name of removed) {
    await unwrap(api.DELETE('/joint-api/inputs/{input_id}', { params: pathOf(name) }));
    common.delete(name);
  }
  for (const name of added) {
    await unwrap(api.POST('/joint-api/inputs/addnew', { body: { skript_id, name, val: inputValue(name) } }));
    common.set(name, hashOfText(name, inputText(name)));
  }
  for (const name of changed) {
    const body = { val: inputValue(name) } as Schemas['UpdateInput'];
    await unwrap(api.PUT('/joint-api/inputs/{input_id}', { params: pathOf(name), body }));
    common.set(name, hashOfText(name, inputText(name)));
  }
}

async function sendSecrets(trawl: Pick<Trawl, 'api'>, local: SkriptFolder, skript_id: string, names: string[]) {
  for (const name of names) {
    const value = parseJson(local.secrets.get(name) ?? '', name);
    await putSecret(trawl, skript_id, name, value);
  }
}

/** Stores an input secret, whether or not the skript has one of this name. */
export async function putSecret({ api }: Pick<Trawl, 'api'>, skript_id: string, name: string, value: unknown) {
  const val = value as Schemas['CreateInputSecret']['val'];
  const known = (await listSecrets({ api }, skript_id)).find(secret => secret.name === name);
  if (!known) return unwrap(api.POST('/joint-api/input-secrets/addnew', { body: { skript_id, name, val } }));
  const params = { path: { inputSecret_id: known.id } };
  const body = { val } as Schemas['UpdateInputSecret'];
  return unwrap(api.PUT('/joint-api/input-secrets/{inputSecret_id}', { params, body }));
}

export async function listSecrets({ api }: Pick<Trawl, 'api'>, skript_id: string): Promise<Schemas['InputSecret'][]> {
  const query = { skript_id, limit: 1_000 };
  return (await unwrap(api.GET('/joint-api/input-secrets/list', { params: { query } }))).items;
}
