import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

const requireFromMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));

/**
 * The driver's own class for documents that are already BSON. The driver does not export it, and encodes documents from
 * objects everywhere else.
 */
export const { DocumentSequence } = requireFromMongoose('mongodb/lib/cmap/commands.js') as {
  DocumentSequence: new (field: string) => { push(document: object, bytes: Uint8Array): void };
};

/** The driver's class for one connection, which it does not export. */
export const { Connection } = requireFromMongoose('mongodb/lib/cmap/connection.js') as {
  Connection: { prototype: DriverConnection };
};

interface DriverConnection {
  readonly socket: Socket;
  readonly closed: boolean;
  /** Closes the connection. The driver calls it for every reason to do so. */
  cleanup(error: Error): void;
}
