import type { QueryResult } from 'pg';
import type { DataSource } from 'typeorm';

interface Pool {
  query(query: { name: string; text: string; values: unknown[] }): Promise<QueryResult>;
}

/**
 * Runs a statement of a hot path outside of any transaction. PostgreSQL parses it once for each connection, and plans it
 * a few times, where planning takes longer than the statement itself.
 *
 * @param name of this text alone: PostgreSQL knows it by that.
 * @returns the rows, also those of RETURNING.
 */
export async function preparedQuery<Row>(
  dataSource: DataSource,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  // TypeORM runs each statement as if it were new.
  const { master } = dataSource.driver as unknown as { master: Pool };
  const { rows } = await master.query({ name, text, values });
  return rows as Row[];
}
