import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import mongoose from 'mongoose';
import type { Client } from 'pg';
import { TRAWL_VERSION } from '../../../version.js';
import { AdminError } from '../admin-error.js';
import { connect, migrationsOf, refuseOtherSchema } from '../schema.js';
import { openPlatform, type Platform } from '../settings.js';
import { onInterrupt, print, withProgress } from '../terminal.js';
import { ArchiveWriter } from './archive-writer.js';
import { FORMAT, type Manifest } from './manifest.js';
import { dumpMongo } from './mongo-dump.js';
import { dumpPostgres } from './postgres-dump.js';
import { dumpUserPostgres } from './user-postgres.js';

/** Administrators see on the dashboard when the last backup was made. */
const BACKED_UP =
  'INSERT INTO last_backup (made_at) VALUES (now()) ON CONFLICT (is_only) DO UPDATE SET made_at = now()';

/** Errors of the disk or its permissions. */
const NOT_WRITABLE = new Set(['EACCES', 'EDQUOT', 'EIO', 'ENOSPC', 'EPERM', 'EROFS']);

interface BackupOptions {
  /** False with `--without-user-postgres`. */
  withoutUserPostgres?: true;
}

/** `trawl-admin backup PATH` */
export default async function backup(path: string, options: BackupOptions): Promise<void> {
  const file = fileAt(path);
  const platform = await openPlatform();
  try {
    await writeBackup(platform, file, options);
  } finally {
    await platform.close();
  }
}

/** Writes a backup of both databases to a new file. See docs/decisions/0385-backups-without-pg-dump.md. */
export async function writeBackup(platform: Platform, file: string, options: BackupOptions = {}): Promise<void> {
  const client = await connect(platform.config.postgresUrl);
  const archive = new ArchiveWriter(file);
  let current = 'PostgreSQL';
  const stopListening = onInterrupt(() => archive.removeFile());
  const label = () => `Backing up ${current}, ${megabytes(archive.bytes)} so far`;
  try {
    const migrations = await migrationsOf(client);
    refuseOtherSchema(migrations);
    const work = write(platform, client, archive, migrations, options, what => (current = what));
    const manifest = await withProgress(label, work);
    await client.query(BACKED_UP);
    const rows = manifest.postgres.tables.reduce((sum, table) => sum + table.rows, 0);
    const documents = manifest.mongodb.collections.reduce((sum, { documents: count }) => sum + count, 0);
    print(`Backup written to ${file}: ${rows} rows, ${documents} documents, ${megabytes(statSync(file).size)}.`);
    print(
      'It does not contain TRAWL_SECRET, without which the stored secrets in it cannot be read. Keep that elsewhere.',
    );
    const { count, bytes } = manifest.objects ?? { count: 0, bytes: 0 };
    if (count > 0) {
      print(
        `It does not contain ${megabytes(bytes)} of saved echoes, which are in the object store (S3). Copy the bucket, too.`,
      );
    }
  } catch (error) {
    await archive.discard();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code && NOT_WRITABLE.has(code)) {
      throw new AdminError(`The backup ${file} cannot be written: ${message}. Nothing is left of it.`);
    }
    throw error;
  } finally {
    stopListening();
    await client.end();
  }
}

async function write(
  { config }: Platform,
  client: Client,
  archive: ArchiveWriter,
  migrations: string[],
  { withoutUserPostgres }: BackupOptions,
  on: (what: string) => void,
): Promise<Manifest> {
  // All queries of the transaction see the database as it is now.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows: settings } = await client.query<{ server_version: string }>('SHOW server_version');
  const mongoNames = await namesIn(client, 'SELECT db_name AS name FROM mongo_databases ORDER BY db_name');
  const userNames = await namesIn(client, 'SELECT name FROM postgres_databases WHERE ready ORDER BY name');
  const { rows: objects } = await client.query<{ count: number; bytes: number }>(
    `SELECT count(*)::int AS count, coalesce(sum(object_bytes), 0)::float AS bytes FROM echo_chunks
     WHERE object_key IS NOT NULL`,
  );
  const postgres = await dumpPostgres(client, archive, on);
  await client.query('COMMIT');
  const mongo = await mongoose.mongo.MongoClient.connect(config.mongodbUri);
  try {
    const { version } = (await mongo.db('admin').command({ buildInfo: 1 })) as { version: string };
    const collections = await dumpMongo(mongo, mongoNames, archive, on);
    const hasUsers = userNames.length > 0 && !withoutUserPostgres;
    const manifest: Manifest = {
      format: FORMAT,
      created_at: new Date().toISOString(),
      trawl: TRAWL_VERSION,
      postgres: { version: String(settings[0]?.server_version), migrations, ...postgres },
      mongodb: { version, collections },
      user_postgres: hasUsers ? await dumpUserPostgres(config, userNames, archive, on) : null,
      objects: objects[0],
      entries: archive.entries,
    };
    await archive.finish(manifest);
    return manifest;
  } finally {
    await mongo.close();
  }
}

async function namesIn(client: Client, sql: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(sql);
  return rows.map(({ name }) => name);
}

/**
 * Returns the path of the new file: in a folder, its name has the time.
 * @throws {AdminError} if the file exists, or if the path may be that of a folder that is missing.
 */
export function fileAt(path: string): string {
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  if (!isFolder && !path.endsWith('.zip')) {
    throw new AdminError(`${path} is no folder. Create it first, or give the file a name that ends with .zip.`);
  }
  const file = resolve(isFolder ? join(path, `trawl-${time}Z.zip`) : path);
  if (!existsSync(dirname(file))) throw new AdminError(`The folder ${dirname(file)} does not exist. Create it first.`);
  if (existsSync(file)) throw new AdminError(`${file} exists. Choose another name, or delete it first.`);
  return file;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
