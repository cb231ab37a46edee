import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, mongo } from 'mongoose';
import { CONFIG, type Config } from '../common/config.js';

/** How long a call waits for a MongoDB that does not answer before it says so. */
const SERVER_SELECTION_MS = 3_000;

export const MONGO_OPTIONS = {
  serverSelectionTimeoutMS: SERVER_SELECTION_MS,
  // One that takes connections and says nothing is found out after the two together, and whoever waits for it is told.
  heartbeatFrequencyMS: 5_000,
  connectTimeoutMS: 10_000,
  // All connections are taken; whoever waits for one is told.
  waitQueueTimeoutMS: 5_000,
  bufferCommands: false,
  // A repetition by the driver that finds no server would look as if the first sending had found none either.
  retryWrites: false,
};

/**
 * The connection to MongoDB, begun when the backend starts. A first connection that fails leaves a client that can never
 * work, so it is made anew with the next call; once made, the driver finds a server that comes back by itself.
 */
@Injectable()
export class MongoConnectionService {
  #opened = false;
  #opening: Promise<unknown> | null;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.#opening = this.#wait(connection.asPromise());
  }

  /** @throws the driver's own errors; `storage-failures.ts` tells what each means. */
  async db(dbName: string): Promise<mongo.Db> {
    if (!this.#opened) {
      this.#opening ??= this.#wait(this.connection.openUri(this.config.mongodbUri, { ...MONGO_OPTIONS }));
      await this.#opening;
      this.#opened = true;
    }
    return this.connection.getClient().db(dbName);
  }

  #wait(opening: Promise<unknown>): Promise<unknown> {
    const waiting = opening.finally(() => {
      this.#opening = null;
    });
    // Whoever needs the database waits for it and hears of the failure; until then nobody may be waiting.
    waiting.catch(() => undefined);
    return waiting;
  }
}
