import type { IncomingMessage } from 'node:http';

/** The session token or API key in the `Authorization` header. */
export const bearerOf = ({ headers }: IncomingMessage): string | null =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
