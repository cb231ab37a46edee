import mongoose, { type mongo } from 'mongoose';
import type { Client } from 'pg';
import type { Config } from '../../../platform/common/config.js';
import { secretDigest } from '../../../platform/common/secret-box.service.js';
import { beginRestore, endRestore } from '../../../platform/database/unfinished-restore.js';
import { AdminError } from '../admin-error.js';
import { connect } from '../schema.js';
import { openPlatform, type Platform } from '../settings.js';
import { note, onInterrupt, print, withProgress } from '../terminal.js';
import { ArchiveReader } from './archive-reader.js';
import { restoreMongo } from './mongo-restore.js';
import { createSchema, refuseUnknownMigrations, restoreRows } from './postgres-restore.js';
import { openTargetForUsers, restoreUserPostgres, type UserTarget } from './user-postgres.js';

interface RestoreOptions {
  overwrite?: true;
}

/** `trawl-admin restore FILE` */
export default async function restore(path: string, options: RestoreOptions): Promise<void> {
  const archive = await ArchiveReader.open(path);
  try {
    const platform = await openPlatform({ mayCreate: true });
    try {
      await restoreBackup(platform, archive, options);
    } finally {
      await platform.close();
    }
  } finally {
    archive.close();
  }
}

/** Restores a backup: first the data of users, then the platform's own rows, which refer to it. */
export async function restoreBackup(
  { config, hasSecret }: Platform,
  archive: ArchiveReader,
  { overwrite = undefined }: RestoreOptions = {},
): Promise<void> {
  const { manifest } = archive;
  refuseUnknownMigrations(manifest);
  const percent = progressIn(archive);
  await withProgress(() => `Checking the backup, ${percent()}`, archive.verify());
  const client = await connect(config.postgresUrl);
  try {
    const mongoClient = await mongoose.mongo.MongoClient.connect(config.mongodbUri);
    try {
      await emptyTargets(config, client, mongoClient, archive, overwrite === true);
      await copy(config, client, mongoClient, archive);
    } finally {
      await mongoClient.close();
    }
    const { rows } = await client.query<{ digest: Buffer }>('SELECT digest FROM platform_secret');
    print(`Restored the backup of ${manifest.created_at}.`);
    if (manifest.objects && manifest.objects.count > 0) {
      print(
        `Some saved echoes are not in the backup, but in an object store (S3). Set TRAWL_S3_BUCKET to a bucket that has them. If another platform uses that bucket, make a copy of it for this one: each deletes the objects of the runs that it deletes.`,
      );
    }
    const isRight = hasSecret && rows[0]?.digest.equals(secretDigest(config.secret));
    print(
      isRight
        ? 'You can start the platform.'
        : 'TRAWL_SECRET is not the one of this backup. Set the right one before you start the platform: the variable TRAWL_SECRET, or the file `secret` in the data folder.',
    );
  } finally {
    await client.end();
  }
}

async function copy(
  config: Config,
  client: Client,
  mongoClient: mongo.MongoClient,
  archive: ArchiveReader,
): Promise<void> {
  let current = 'MongoDB';
  const on = (what: string) => (current = what);
  const work = async () => {
    await createSchema(config.postgresUrl, archive.manifest);
    await restoreMongo(mongoClient, archive, on);
    await restoreRows(client, archive, on);
    await restoreUserPostgres(config, client, archive, on);
    await endRestore(client);
  };
  const percent = progressIn(archive);
  const stopListening = onInterrupt(() => note('\nThe restore is incomplete. Run it again with --overwrite.'));
  try {
    await withProgress(() => `Restoring ${current}, ${percent()}`, work());
  } finally {
    stopListening();
  }
}

/** Returns a function that says how much of the archive has been read since this call. */
function progressIn(archive: ArchiveReader): () => string {
  const total = archive.manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0) || 1;
  const start = archive.bytesRead;
  return () => `${Math.floor(((archive.bytesRead - start) / total) * 100)}\u00a0%`;
}

/**
 * Makes all targets empty, and marks the database as incomplete.
 * @throws {AdminError} if one has data, unless it may be overwritten
 */
async function emptyTargets(
  config: Config,
  client: Client,
  mongoClient: mongo.MongoClient,
  archive: ArchiveReader,
  mayOverwrite: boolean,
): Promise<void> {
  const users = await openTargetForUsers(config, archive);
  try {
    await emptyAll(client, mongoClient, users, archive, mayOverwrite);
  } finally {
    await users?.close();
  }
}

async function emptyAll(
  client: Client,
  mongoClient: mongo.MongoClient,
  users: UserTarget | undefined,
  { manifest }: ArchiveReader,
  mayOverwrite: boolean,
): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  );
  const databases = [...new Set(manifest.mongodb.collections.map(({ database }) => database))];
  const filled: string[] = [];
  for (const database of databases) {
    const [collection] = await mongoClient.db(database).listCollections({}, { nameOnly: true }).toArray();
    if (collection) filled.push(database);
  }
  const ofUsers = (await users?.existing()) ?? [];
  if (tables.length === 0 && filled.length === 0 && ofUsers.length === 0) return beginRestore(client);
  const what = [
    ...(tables.length > 0 ? [`the database of POSTGRES_URL has ${tables.length} tables`] : []),
    ...(filled.length > 0 ? [`MongoDB has ${filled.length} of the databases of the backup`] : []),
    ...(ofUsers.length > 0 ? [`the PostgreSQL of users has ${ofUsers.length} of them`] : []),
  ].join(', and ');
  if (!mayOverwrite) {
    throw new AdminError(
      `The target is not empty: ${what}. Nothing was restored. To delete all of this first, add --overwrite.`,
    );
  }
  if (tables.some(({ name }) => name === 'backends')) await refuseRunningBackends(client);
  await client.query('BEGIN');
  await client.query('DROP SCHEMA public CASCADE');
  await client.query('CREATE SCHEMA public');
  await beginRestore(client);
  await client.query('COMMIT');
  for (const database of filled) await mongoClient.db(database).dropDatabase();
  for (const database of ofUsers) await users?.drop(database);
}

async function refuseRunningBackends(client: Client): Promise<void> {
  const { rows } = await client.query(`SELECT 1 FROM backends WHERE seen_at > now() - interval '15 s'`);
  if (rows.length === 0) return;
  throw new AdminError(
    `${rows.length === 1 ? 'A backend uses' : `${rows.length} backends use`} the database. Nothing was restored. Stop all backends, wait 15 seconds, and try again.`,
  );
}
