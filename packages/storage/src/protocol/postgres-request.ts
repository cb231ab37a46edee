/** A PostgreSQL call to the platform. */
export type PostgresRequest =
  /** `table`: the table that the statement writes to, if it is known. */
  | { method: 'query'; text: string; params: (string | null)[]; transaction?: string; table?: string }
  | { method: 'begin' }
  | { method: 'commit'; transaction: string; xid: string | null }
  | { method: 'rollback'; transaction: string }
  | { method: 'open'; text: string; params: (string | null)[]; batch_size: number }
  | { method: 'next'; cursor: string }
  | { method: 'close'; cursor: string };

/** `result` depends on the method. */
export type PostgresReply =
  | { result: object }
  | { error: { code: string; message: string; sql_state?: string; position?: number } };

export type PostgresPort = (request: PostgresRequest) => Promise<PostgresReply>;
