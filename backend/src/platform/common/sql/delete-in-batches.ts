import type { EntityManager } from 'typeorm';

/** Rows that one statement deletes, so that it holds locks only for a short time. */
const BATCH = 1_000;

/**
 * Deletes the rows for which a SQL condition is true, in statements of at most `batch` rows.
 * @param condition names the table `t`.
 * @returns how many rows it deleted.
 */
export async function deleteInBatches(
  db: Pick<EntityManager, 'query'>,
  table: string,
  condition: string,
  values: unknown[],
  batch = BATCH,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [, count] = await db.query<[unknown, number]>(
      `DELETE FROM ${table} WHERE id IN (SELECT t.id FROM ${table} t WHERE ${condition} LIMIT ${batch})`,
      values,
    );
    deleted += count;
    if (count < batch) return deleted;
  }
}
