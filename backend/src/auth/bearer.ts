import type { IncomingMessage } from 'node:http';

/** The token or API key that came with a request. */
export const bearerOf = ({ headers }: IncomingMessage): string | null =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
