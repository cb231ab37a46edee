import { LIMITS } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../../platform/common/errors.js';
import type { SecretBox } from '../../platform/common/secret-box.service.js';
import { checkFileName, checkNameFree, TakenNames } from './names.js';
import { MAX_PARTS, namesOf } from './skript-parts.js';

/**
 * The functions in this file read and replace the contents of a skript. Lock the skript (`lockSkript`) before you
 * replace anything.
 */

export interface SourceFile {
  name: string;
  content: string;
}

/** The name of an input or input secret, and its value as JSON text. */
export interface NamedValue {
  name: string;
  json: string;
}

/** Numbers of added, changed, unchanged and removed items. */
export interface Changes {
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
}

/** Reads all files of a skript, in the order in which its bundle is built from them. */
export const filesOf = (manager: Pick<EntityManager, 'query'>, skriptId: string): Promise<SourceFile[]> =>
  manager.query<SourceFile[]>('SELECT name, content FROM skript_files WHERE skript_id = $1 ORDER BY name COLLATE "C"', [
    skriptId,
  ]);

/** Marks the skript's bundle as stale, which means that the files have changed since it was built. */
export async function markStale(manager: EntityManager, skriptId: string): Promise<void> {
  await manager.query('UPDATE skripts SET stale = true, updated_at = now() WHERE id = $1', [skriptId]);
}

/**
 * Checks a file's content and returns its size in bytes.
 * @throws {ApiError} 400 for text that is not well-formed Unicode; 413 for a file that is too large.
 */
export function checkedSize(name: string, content: string): number {
  if (/\p{Surrogate}/u.test(content)) {
    const message = 'contains an unpaired surrogate; send well-formed Unicode text';
    throw new ApiError('validation_failed', `The content of ${name} ${message}.`, [{ field: 'content', message }]);
  }
  const size = Buffer.byteLength(content);
  if (size > LIMITS.fileBytes) {
    throw new ApiError('payload_too_large', `${name} is ${size} bytes; the limit for a file is ${LIMITS.fileBytes}.`);
  }
  return size;
}

/** @throws {ApiError} 400 for a bad name, 409 for colliding names, 413 for too many or too large files. */
export function checkFiles(files: SourceFile[]): void {
  const taken = new TakenNames();
  let totalBytes = 0;
  for (const { name, content } of files) {
    checkFileName(name);
    checkNameFree(taken, name);
    totalBytes += checkedSize(name, content);
  }
  if (files.length > MAX_PARTS) {
    throw new ApiError('payload_too_large', `You sent ${files.length} files; the limit for a skript is ${MAX_PARTS}.`);
  }
  if (totalBytes > LIMITS.skriptBytes) {
    throw new ApiError(
      'payload_too_large',
      `The files are ${totalBytes} bytes in total; the limit for a skript is ${LIMITS.skriptBytes}.`,
    );
  }
}

/**
 * Replaces all files; a file that keeps its name keeps its id, too. The caller checks the files and marks the bundle.
 */
export async function replaceFiles(manager: EntityManager, skriptId: string, files: SourceFile[]): Promise<Changes> {
  const names = files.map(({ name }) => name);
  const contents = files.map(({ content }) => content);
  const sizes = contents.map(content => Buffer.byteLength(content));
  const present = await namesOf(manager, 'skript_files', skriptId);
  await manager.query('DELETE FROM skript_files WHERE skript_id = $1 AND NOT name = ANY ($2)', [skriptId, names]);
  const [, changed] = await manager.query<[unknown, number]>(
    `UPDATE skript_files f SET content = s.content, size = s.size, updated_at = now()
     FROM unnest($2::text[], $3::text[], $4::int[]) AS s(name, content, size)
     WHERE f.skript_id = $1 AND f.name = s.name AND f.content <> s.content`,
    [skriptId, names, contents, sizes],
  );
  await manager.query(
    `INSERT INTO skript_files (id, skript_id, name, content, size)
     SELECT s.id, $1, s.name, s.content, s.size
     FROM unnest($5::uuid[], $2::text[], $3::text[], $4::int[]) AS s(id, name, content, size)
     WHERE NOT EXISTS (SELECT 1 FROM skript_files f WHERE f.skript_id = $1 AND f.name = s.name)`,
    [skriptId, names, contents, sizes, names.map(() => uuidv7())],
  );
  return countChanges(present, names, changed);
}

/** Replaces all inputs. An input that keeps its name keeps its id, which schedules and API calls refer to. */
export async function replaceInputs(manager: EntityManager, skriptId: string, inputs: NamedValue[]): Promise<Changes> {
  const names = inputs.map(({ name }) => name);
  const values = inputs.map(({ json }) => json);
  const present = await namesOf(manager, 'inputs', skriptId);
  await manager.query('DELETE FROM inputs WHERE skript_id = $1 AND NOT name = ANY ($2)', [skriptId, names]);
  const [, changed] = await manager.query<[unknown, number]>(
    `UPDATE inputs i SET val = s.val::json, updated_at = now() FROM unnest($2::text[], $3::text[]) AS s(name, val)
     WHERE i.skript_id = $1 AND i.name = s.name AND i.val::text <> s.val`,
    [skriptId, names, values],
  );
  await manager.query(
    `INSERT INTO inputs (id, skript_id, name, val)
     SELECT s.id, $1, s.name, s.val::json FROM unnest($4::uuid[], $2::text[], $3::text[]) AS s(id, name, val)
     WHERE NOT EXISTS (SELECT 1 FROM inputs i WHERE i.skript_id = $1 AND i.name = s.name)`,
    [skriptId, names, values, names.map(() => uuidv7())],
  );
  return countChanges(present, names, changed);
}

/**
 * Adds input secrets and overwrites those with the same name. Keeps all others, because downloaded archives contain no
 * secrets.
 */
export async function putSecrets(
  manager: EntityManager,
  skriptId: string,
  secrets: NamedValue[],
  box: SecretBox,
): Promise<Omit<Changes, 'removed'>> {
  const rows = await manager.query<{ id: string; name: string }[]>(
    'SELECT id, name FROM input_secrets WHERE skript_id = $1',
    [skriptId],
  );
  const idOf = new Map(rows.map(({ id, name }) => [name, id]));
  const taken = new TakenNames(idOf.keys());
  let added = 0;
  for (const { name, json } of secrets) {
    const id = idOf.get(name) ?? uuidv7();
    const sealed = box.seal(json, id);
    if (idOf.has(name)) {
      await manager.query('UPDATE input_secrets SET val_sealed = $2, updated_at = now() WHERE id = $1', [id, sealed]);
      continue;
    }
    checkNameFree(taken, name);
    added += 1;
    await manager.query('INSERT INTO input_secrets (id, skript_id, name, val_sealed) VALUES ($1, $2, $3, $4)', [
      id,
      skriptId,
      name,
      sealed,
    ]);
  }
  if (rows.length + added > MAX_PARTS) {
    throw new ApiError(
      'payload_too_large',
      `The skript would have ${rows.length + added} input secrets; the limit is ${MAX_PARTS}.`,
    );
  }
  const changed = secrets.length - added;
  return { added, changed, unchanged: rows.length - changed };
}

function countChanges(present: string[], names: string[], changed: number): Changes {
  const kept = new Set(names);
  const removed = present.filter(name => !kept.has(name)).length;
  const known = present.length - removed;
  return { added: names.length - known, changed, unchanged: known - changed, removed };
}
