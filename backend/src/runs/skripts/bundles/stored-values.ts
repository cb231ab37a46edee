import { LIMITS } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { MANIFEST } from '../names.js';
import { EDITABLE } from '../skript.entity.js';
import type { SourceFile } from '../skript-contents.js';

/**
 * Returns those files that are stored as fields and inputs of the skript, as older skripts read or require them:
 * `manifest.json` and inputs, in so far as a file of the skript contains their name. Input secrets are never among them.
 * The trigger `skript_values_changed` makes the bundle stale when one of them changes.
 *
 * Leaves out inputs beyond `LIMITS.skriptBytes` in total.
 */
export async function storedValuesOf(
  manager: Pick<EntityManager, 'query'>,
  skriptId: string,
  files: SourceFile[],
): Promise<SourceFile[]> {
  const isNamed = (name: string) => files.some(({ content }) => content.includes(name));
  const values: SourceFile[] = [];
  if (isNamed(MANIFEST)) {
    const [skript] = await manager.query<object[]>(`SELECT ${EDITABLE.join(', ')} FROM skripts WHERE id = $1`, [
      skriptId,
    ]);
    values.push({ name: MANIFEST, content: JSON.stringify(skript ?? {}, null, 2) });
  }
  const inputs = await manager.query<{ name: string }[]>('SELECT name FROM inputs WHERE skript_id = $1', [skriptId]);
  const names = inputs.map(({ name }) => name).filter(isNamed);
  if (names.length === 0) return values;
  const rows = await manager.query<SourceFile[]>(
    `SELECT name, content FROM (
       SELECT name, val::text AS content, sum(octet_length(val::text)) OVER (ORDER BY name COLLATE "C") AS total
       FROM inputs WHERE skript_id = $1 AND name = ANY ($2)
     ) i WHERE total <= $3 ORDER BY name COLLATE "C"`,
    [skriptId, names, LIMITS.skriptBytes],
  );
  return [...values, ...rows];
}
