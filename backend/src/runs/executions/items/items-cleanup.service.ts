import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { mongo } from 'mongoose';
import { DataSource } from 'typeorm';
import { READ, WRITE } from '../../../data/storage/mongodb/call-options.js';
import { CollectionLimitService } from '../../../data/storage/mongodb/collection-limit.service.js';
import { CHANGES_PREFIX, ITEMS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';
import { StorageUsageService } from '../../../data/storage/usage/storage-usage.service.js';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { firstIdAt } from '../../../platform/common/sql/first-id-at.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const DELETE = { ...WRITE, maxTimeMS: 300_000 } as const;

interface Database {
  db_name: string;
  owner_id: string;
}

/** The indexes that Trawl gives the collections of items and changes. A collection without one is the user's own. */
const OWN_INDEXES = ['_changed_at_1__id_1', '_item_1__id_1'];

/** Deletes changes that are as old as runs which the platform deletes, items that are gone as long, and those of deleted skripts. */
@Injectable()
export class ItemsCleanup implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: MongoConnectionService,
    private readonly collections: CollectionLimitService,
    private readonly usage: StorageUsageService,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Pick<Config, 'historyDays'>,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('items and changes', 'nightly', () => this.cleanUp(new Date()));
  }

  async cleanUp(now: Date): Promise<void> {
    // Items are only in the first database of an account.
    const databases = await this.dataSource.query<Database[]>(
      'SELECT DISTINCT ON (owner_id) db_name, owner_id FROM mongo_databases ORDER BY owner_id, id',
    );
    for (const database of databases) await this.#cleanUpDatabase(database, now);
  }

  async #cleanUpDatabase({ db_name, owner_id }: Database, now: Date): Promise<void> {
    const db = await this.connection.db(db_name);
    const name = new RegExp(`^(${ITEMS_PREFIX}|${CHANGES_PREFIX})`);
    const found = await db.listCollections({ name }, { ...READ, nameOnly: true }).toArray();
    const named = found.map(collection => [collection.name, collection.name.replace(name, '')] as const);
    const ours = named.filter(([, skriptId]) => isUUID(skriptId));
    if (ours.length === 0) return;
    const skripts = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM skripts WHERE id = ANY($1::uuid[]) AND owner_id = $2',
      [ours.map(([, skriptId]) => skriptId), owner_id],
    );
    const existing = new Set(skripts.map(({ id }) => id));
    for (const [collection, skriptId] of ours) {
      if (existing.has(skriptId)) await this.#deleteOld(db.collection(collection), now);
      else if (await isOurs(db.collection(collection))) await db.dropCollection(collection, WRITE);
    }
    this.collections.forget(db_name);
    this.usage.markChanged(owner_id);
  }

  async #deleteOld(collection: mongo.Collection, now: Date): Promise<void> {
    const { historyDays } = this.config;
    if (historyDays === 0) return;
    const before = new Date(now.getTime() - historyDays * DAY_MS);
    const isOld = collection.collectionName.startsWith(ITEMS_PREFIX)
      ? { _gone_at: { $lt: before } }
      : { _id: { $lt: firstIdAt(before) } as never };
    await collection.deleteMany(isOld, DELETE);
  }
}

async function isOurs(collection: mongo.Collection): Promise<boolean> {
  const indexes = await collection.indexes(READ);
  return indexes.some(({ name }) => name !== undefined && OWN_INDEXES.includes(name));
}
