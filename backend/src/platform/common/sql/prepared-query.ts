import type { QueryResult } from 'pg';
import type { DataSource } from 'typeorm';

interface Pool {
  query(query: { name: string; text: string; values: unknown[] }): Promise<QueryResult>;
}

/**
 * Runs a prepared statement outside any transaction, for hot paths where planning takes longer than the statement
 * itself. PostgreSQL parses it once per connection and reuses its plan after a few executions.
 *
 * @param name of the prepared statement; must be unique to this text.
 * @returns the rows, including those of RETURNING.
 */
export async function preparedQuery<Row>(
  dataSource: DataSource,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  // TypeORM has no prepared statements, so this uses its connection pool directly.
  const { master } = dataSource.driver as unknown as { master: Pool };
  const { rows } = await master.query({ name, text, values });
  return rows as Row[];
}
