import type { EventEmitter } from 'node:events';
import type { ClientConfig, PoolConfig } from 'pg';
import { PooledClient } from '../../../platform/database/pooled-client.js';

/** Host, port and TLS of the server. Role, password and database are those of the superuser. */
export type ServerAddress = Pick<PoolConfig, 'host' | 'port' | 'ssl' | 'user' | 'password' | 'database'>;

/** By this parameter the program tells that each account has a server of its own (`packages/embedded`). */
const PARAMETER = 'trawl_user_postgres';

export interface ServerKind {
  version: string;
  /** True if each account has a server of its own. */
  isPerAccount: boolean;
}

/** Connects once, and returns what the server tells each client. @throws the errors of the connection. */
export async function kindOfServer(address: ClientConfig): Promise<ServerKind> {
  const client = new PooledClient(address);
  const { connection } = client as unknown as { connection: EventEmitter };
  const told = new Map<string, string>();
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => told.set(parameterName, parameterValue));
  await client.connect();
  await client.end();
  return { version: told.get('server_version') ?? '', isPerAccount: told.has(PARAMETER) };
}
