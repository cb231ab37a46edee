import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import './closed-connections.js';

/** How many milliseconds a call waits if MongoDB does not answer. */
const SERVER_SELECTION_MS = 3_000;

export const MONGO_OPTIONS = {
  serverSelectionTimeoutMS: SERVER_SELECTION_MS,
  // If a server accepts connections but never answers, these two settings limit how long the driver keeps using it.
  heartbeatFrequencyMS: 5_000,
  connectTimeoutMS: 10_000,
  // How long a call waits for a free connection of the pool.
  waitQueueTimeoutMS: 5_000,
  bufferCommands: false,
  // If the driver retried a write and found no server, the error would look as if the write was never sent, although
  // the first attempt may have changed data.
  retryWrites: false,
};

/**
 * The connection to MongoDB, which is opened when the backend starts. If that attempt fails, its client can never
 * connect, so the next call opens a new one. After the first success, the driver reconnects by itself.
 */
@Injectable()
export class MongoConnectionService {
  #opened = false;
  #opening: Promise<unknown> | null;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.#opening = this.#track(connection.asPromise());
  }

  /** @throws the driver's own errors; `storage-failures.ts` translates them. */
  async db(dbName: string): Promise<mongo.Db> {
    if (!this.#opened) {
      this.#opening ??= this.#track(this.connection.openUri(this.config.mongodbUri, { ...MONGO_OPTIONS }));
      await this.#opening;
      this.#opened = true;
    }
    return this.connection.getClient().db(dbName);
  }

  /**
   * Returns at once whether the driver is connected, from its own heartbeats. If no attempt to open the connection has
   * succeeded, this starts another one in the background.
   */
  checkAvailable(): boolean {
    if (!this.#opened) this.db('admin').catch(() => undefined);
    return this.connection.readyState === mongoose.ConnectionStates.connected;
  }

  #track(attempt: Promise<unknown>): Promise<unknown> {
    const opening = attempt.finally(() => {
      this.#opening = null;
    });
    // Callers of `db` handle the failure. This empty handler prevents an unhandled rejection if nobody awaits the
    // attempt yet.
    opening.catch(() => undefined);
    return opening;
  }
}
