import { type components, type Trawl, unwrap } from '@trawl/client';
import { compareFields, compareTexts, type Difference, isSameJson } from './compare.js';
import { parseJson } from './manifest.js';
import { MANIFEST } from './names.js';
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
    files: compareTexts(local.files, remote.files),
    inputs: compareTexts(local.inputs, remote.inputs, isSameJson),
    secrets: names.filter(isSent),
    keptSecrets: names.filter(name => !isSent(name)),
  };
}

/** Returns a line for each change, such as `changed main.js`. */
export function changeLines({ fields, files, inputs, secrets }: Changes, removes: boolean): string[] {
  const names = Object.keys(fields);
  const lines = names.length > 0 ? [`changed  ${MANIFEST} (${names.join(', ')})`] : [];
  for (const { added, changed, extra } of [files, inputs]) {
    lines.push(...added.map(name => `added    ${name}`), ...changed.map(name => `changed  ${name}`));
    if (removes) lines.push(...extra.map(name => `deleted  ${name}`));
  }
  return [...lines, ...secrets.map(name => `sent     ${name}`)];
}

/** Sends the changes, one call for each. */
export async function sendChanges(
  { api }: Trawl,
  local: SkriptFolder,
  { skript }: RemoteSkript,
  { fields, files, inputs, secrets }: Changes,
  removes: boolean,
): Promise<void> {
  const skript_id = skript.id;
  if (Object.keys(fields).length > 0) await updateFields({ api }, skript_id, fields);
  const fileIds = new Map(skript.files.map(({ name, id }) => [name, id]));
  for (const name of files.added) {
    const body = { skript_id, name, content: local.files.get(name) ?? '' };
    await unwrap(api.POST('/joint-api/skript-files/addnew', { body }));
  }
  for (const name of files.changed) {
    const params = { path: { skriptFile_id: fileIds.get(name) ?? '' } };
    const body = { content: local.files.get(name) ?? '' } as Schemas['UpdateSkriptFile'];
    await unwrap(api.PUT('/joint-api/skript-files/{skriptFile_id}', { params, body }));
  }
  if (removes) {
    for (const name of files.extra) {
      const params = { path: { skriptFile_id: fileIds.get(name) ?? '' } };
      await unwrap(api.DELETE('/joint-api/skript-files/{skriptFile_id}', { params }));
    }
  }
  await sendInputs({ api }, local, skript_id, inputs, removes);
  await sendSecrets({ api }, local, skript_id, secrets);
}

export async function updateFields({ api }: Pick<Trawl, 'api'>, skript_id: string, fields: Record<string, unknown>) {
  const body = fields as Schemas['UpdateSkript'];
  await unwrap(api.PUT('/joint-api/skripts/{skript_id}', { params: { path: { skript_id } }, body }));
}

async function sendInputs(
  { api }: Pick<Trawl, 'api'>,
  local: SkriptFolder,
  skript_id: string,
  { added, changed, extra }: Difference,
  removes: boolean,
): Promise<void> {
  const inputValue = (name: string) => parseJson(local.inputs.get(name) ?? '', name) as Schemas['CreateInput']['val'];
  for (const name of added) {
    await unwrap(api.POST('/joint-api/inputs/addnew', { body: { skript_id, name, val: inputValue(name) } }));
  }
  const removed = removes ? extra : [];
  if (changed.length + removed.length === 0) return;
  const { items } = await unwrap(api.GET('/joint-api/inputs/list', { params: { query: { skript_id, limit: 1_000 } } }));
  const pathOf = (name: string) => ({ path: { input_id: items.find(item => item.name === name)?.id ?? '' } });
  for (const name of changed) {
    const body = { val: inputValue(name) } as Schemas['UpdateInput'];
    await unwrap(api.PUT('/joint-api/inputs/{input_id}', { params: pathOf(name), body }));
  }
  for (const name of removed) await unwrap(api.DELETE('/joint-api/inputs/{input_id}', { params: pathOf(name) }));
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
