import { LIMITS } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../common/errors.js';
import type { SecretBox } from '../common/secret-box.js';
import { checkFileName, checkNameFree, TakenNames } from './names.js';
import { MAX_PARTS, namesOf } from './skript-parts.js';

/** Replacing what a skript holds, all at once. Each of these wants the skript locked (`lockSkript`). */

export interface SourceFile {
  name: string;
  content: string;
}

/** A value as JSON text. */
export interface NamedValue {
  name: string;
  json: string;
}

/** How many there were of each. */
export interface Changes {
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
}

/** All files of a skript, in the order in which a bundle is made from them. */
export const filesOf = (manager: Pick<EntityManager, 'query'>, skriptId: string): Promise<SourceFile[]> =>
  manager.query<SourceFile[]>('SELECT name, content FROM skript_files WHERE skript_id = $1 ORDER BY name COLLATE "C"', [
    skriptId,
  ]);

/** The bundle is older than the files from now on. */
export async function touch(manager: EntityManager, skriptId: string): Promise<void> {
  await manager.query('UPDATE skripts SET stale = true, updated_at = now() WHERE id = $1', [skriptId]);
}

/** @throws {ApiError} 400 for a text that cannot be kept as it is; 413 for one that is too long. */
export function checkedSize(name: string, content: string): number {
  if (/\p{Surrogate}/u.test(content)) {
    const message = 'has half of a surrogate pair in it, which is no character; send text that is well-formed';
    throw new ApiError('validation_failed', `The content of ${name} ${message}.`, [{ field: 'content', message }]);
  }
  const size = Buffer.byteLength(content);
  if (size > LIMITS.fileBytes) {
    throw new ApiError(
      'payload_too_large',
      `${name} is ${size} bytes; a file of a skript may have ${LIMITS.fileBytes}.`,
    );
  }
  return size;
}

/** @throws {ApiError} 400 for a name, 409 for two names that are the same, 413 for a size or number that may not be. */
export function checkFiles(files: SourceFile[]): void {
  const taken = new TakenNames();
  let together = 0;
  for (const { name, content } of files) {
    checkFileName(name);
    checkNameFree(taken, name);
    together += checkedSize(name, content);
  }
  if (files.length > MAX_PARTS) {
    throw new ApiError('payload_too_large', `These are ${files.length} files; a skript may have ${MAX_PARTS}.`);
  }
  if (together > LIMITS.skriptBytes) {
    throw new ApiError(
      'payload_too_large',
      `The files are ${together} bytes; together those of a skript may have ${LIMITS.skriptBytes}.`,
    );
  }
}

/** A file that keeps its name keeps its id. The caller has checked the files, and sees to the bundle. */
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

/** An input that keeps its name keeps its id, and with it the schedules and calls that name it. */
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

/** Adds secrets and overwrites those of the same name; the others stay, because nobody can send them again unread. */
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
      `With these the skript would have ${rows.length + added} input secrets; it may have ${MAX_PARTS}.`,
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
