import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { link, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { SUPERUSER } from '../postgres/init-database.js';
import { clearLockOfCrashedServer, startServer } from '../postgres/server-process.js';
import { errnoOf } from '../system/errno.js';
import { copyFileFor, copyFolder, makeFolder, syncFolder } from '../system/folders.js';
import { CLUSTER_NAME, type ClusterOptions, writeFor } from './cluster-options.js';

interface Listing {
  /** Number of the folder of each account's database that is not moved yet. */
  databases: Record<string, number>;
  /** Numbers of the folders of all other databases that each server needs: PostgreSQL's own. */
  own: number[];
  /** Databases that somebody else has made. The folder is kept because of them. */
  foreign: string[];
  /** The segment of the write-ahead log at the last shutdown, and the one after it. */
  wal: string[];
}

const LISTING = 'trawl-databases.json';
/** Folders that are copied without what is in them. */
const EMPTY = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_tblspc',
]);
const NOT_COPIED = new Set([LISTING, 'base', 'pg_wal', 'postmaster.pid', 'postmaster.opts']);
const MOVING = '.moving';
const REMOVED = '.removed';

/**
 * The folder of the one server with the databases of all accounts, which earlier versions had. Each account moves at its
 * first use: its new server gets a copy of the shared parts, and the files of its database as hard links, so that a
 * large database moves at once. Until the new folder has its name, nothing changes a linked file; so a move that was
 * interrupted begins again.
 */
export class SharedServer {
  #listing: Listing = { databases: {}, own: [], foreign: [], wal: [] };
  #last: Promise<void> = Promise.resolve();

  private constructor(
    readonly folder: string,
    private readonly options: ClusterOptions,
  ) {}

  /** Returns undefined if there is no such folder, or if everybody has moved. */
  static async open(folder: string, options: ClusterOptions): Promise<SharedServer | undefined> {
    rmSync(folder + REMOVED, { recursive: true, force: true });
    if (!existsSync(join(folder, 'PG_VERSION'))) return undefined;
    const shared = new SharedServer(folder, options);
    const file = join(folder, LISTING);
    shared.#listing = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : await shared.#list();
    for (const name of shared.names()) if (existsSync(join(options.root, name))) shared.forget(name);
    shared.#removeIfEmpty();
    return shared;
  }

  names(): string[] {
    return Object.keys(this.#listing.databases);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#listing.databases, name);
  }

  /** Deletes the database of an account that has moved, or is deleted. */
  forget(name: string): void {
    const number = this.#listing.databases[name];
    if (number === undefined) return;
    delete this.#listing.databases[name];
    this.#save();
    rmSync(join(this.folder, 'base', String(number)), { recursive: true, force: true });
    this.#removeIfEmpty();
  }

  /** Makes the server of an account from the shared one. Accounts move one after the other. */
  move(name: string): Promise<void> {
    const moving = this.#last.then(() => this.#move(name));
    this.#last = moving.catch(() => undefined);
    return moving;
  }

  async #move(name: string): Promise<void> {
    if (!this.has(name)) return;
    const { root, log } = this.options;
    const target = join(root, name);
    const moving = target + MOVING;
    log.write(`Moving ${name} from ${this.folder} to a server of its own.\n`);
    if (existsSync(moving)) await clearLockOfCrashedServer(moving, () => false);
    rmSync(moving, { recursive: true, force: true });
    await this.#copyTo(moving, Number(this.#listing.databases[name]));
    await this.#keepOnly(moving, name);
    renameSync(moving, target);
    this.forget(name);
  }

  async #copyTo(target: string, database: number): Promise<void> {
    const { own, wal } = this.#listing;
    const { user } = this.options;
    await copyFolder(this.folder, target, user, path => !NOT_COPIED.has(path));
    for (const name of EMPTY) rmSync(join(target, name), { recursive: true, force: true });
    for (const name of [...EMPTY, 'base', 'pg_wal', 'pg_wal/archive_status', 'pg_wal/summaries']) {
      await makeFolder(join(target, name), user);
    }
    for (const number of own) {
      await copyFolder(join(this.folder, 'base', String(number)), join(target, 'base', String(number)), user);
    }
    for (const segment of wal) {
      const source = join(this.folder, 'pg_wal', segment);
      if (existsSync(source)) await copyFileFor(source, join(target, 'pg_wal', segment), user);
    }
    await this.#link(join(this.folder, 'base', String(database)), join(target, 'base', String(database)));
  }

  /** Drops the other accounts from the copy. Connects only to PostgreSQL's own database, because the links must not change. */
  async #keepOnly(folder: string, name: string): Promise<void> {
    await this.#onServer(folder, { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }, async client => {
      await client.query(`SET lock_timeout = '10s'`);
      for (const other of await namesIn(client, 'SELECT datname AS name FROM pg_database WHERE NOT datistemplate')) {
        if (other !== name && other !== 'postgres') await client.query(`DROP DATABASE ${pg.escapeIdentifier(other)}`);
      }
      for (const other of await namesIn(client, 'SELECT rolname AS name FROM pg_roles')) {
        if (other === name || !CLUSTER_NAME.test(other)) continue;
        // A role with a right in this database stays. Nobody can use it.
        await client.query(`DROP ROLE ${other}`).catch(error => {
          if (error.code !== '2BP01') throw error;
          return client.query(`ALTER ROLE ${other} NOLOGIN PASSWORD NULL`);
        });
      }
    });
    // The server above did not wait for the disk.
    await syncFolder(folder);
  }

  /** Asks the shared server for its databases, and shuts it down properly. */
  async #list(): Promise<Listing> {
    await clearLockOfCrashedServer(this.folder, () => false);
    const listing: Listing = { databases: {}, own: [], foreign: [], wal: [] };
    await this.#onServer(this.folder, {}, async client => {
      const { rows } = await client.query<{ name: string; number: number; of_users: boolean }>(
        `SELECT datname AS name, oid::int AS number, datname IN (SELECT rolname FROM pg_roles) AS of_users FROM pg_database`,
      );
      for (const { name, number, of_users } of rows) {
        if (CLUSTER_NAME.test(name) && of_users) listing.databases[name] = number;
        else if (['postgres', 'template0', 'template1'].includes(name)) listing.own.push(number);
        else if (name !== 'trawl' && !CLUSTER_NAME.test(name)) listing.foreign.push(name);
      }
      await client.query('CHECKPOINT');
      const wal = await client.query<{ name: string; next: string }>(
        `SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS name,
                pg_walfile_name(pg_current_wal_insert_lsn() + setting::int) AS next
           FROM pg_settings WHERE name = 'wal_segment_size'`,
      );
      listing.wal = wal.rows.flatMap(({ name, next }) => [name, next]);
    });
    this.#listing = listing;
    this.#save();
    return listing;
  }

  /** Deletes the folder when everybody has moved. */
  #removeIfEmpty(): void {
    if (this.names().length > 0 || this.#listing.foreign.length > 0 || !existsSync(this.folder)) return;
    renameSync(this.folder, this.folder + REMOVED);
    rmSync(this.folder + REMOVED, { recursive: true, force: true });
  }

  #save(): void {
    const path = join(this.folder, LISTING);
    writeFor(this.options.user, `${path}.new`, JSON.stringify(this.#listing));
    renameSync(`${path}.new`, path);
  }

  /** Starts a server on a folder for as long as `work` takes. */
  async #onServer(
    folder: string,
    settings: Record<string, string>,
    work: (client: pg.Client) => Promise<void>,
  ): Promise<void> {
    const { binDir, log, user, socketDir, hbaFile, password } = this.options;
    const port = 65_535;
    const server = await startServer({
      binDir,
      folder,
      durable: true,
      log,
      user,
      settings: {
        listen_addresses: '',
        unix_socket_directories: socketDir,
        port,
        hba_file: hbaFile,
        autovacuum: 'off',
        max_connections: 200,
        ...settings,
      },
    });
    try {
      const client = new pg.Client({ host: socketDir, port, user: SUPERUSER, password, database: 'postgres' });
      client.on('error', () => {});
      await client.connect();
      await work(client).finally(() => client.end());
    } finally {
      await server.stop();
    }
  }

  async #link(source: string, target: string): Promise<void> {
    const { user } = this.options;
    await makeFolder(target, user);
    for (const entry of await readdir(source, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const [from, to] = [join(source, entry.name), join(target, entry.name)];
      try {
        await link(from, to);
      } catch (error) {
        // A file system without hard links.
        if (!['EPERM', 'ENOTSUP', 'EXDEV', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error;
        await copyFileFor(from, to, user);
      }
    }
  }
}

async function namesIn(client: pg.Client, sql: string): Promise<string[]> {
  return (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
}
