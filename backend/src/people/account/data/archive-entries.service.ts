import { Injectable } from '@nestjs/common';
import { fileBytes } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { PostgresTablesService } from '../../../data/postgres/tables/postgres-tables.service.js';
import { MongoAccessService } from '../../../data/storage/access/mongo-access.service.js';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { collectionsIn } from '../../../data/storage/mongodb/collection-limit.service.js';
import { ApiError } from '../../../platform/common/errors.js';
import { fileNameOf } from '../../../platform/http/file-name.js';
import type { List } from '../../../platform/http/lists/list-query.js';
import { fileNameProblem, MANIFEST } from '../../../runs/skripts/names.js';
import { EDITABLE, Skript } from '../../../runs/skripts/skript.entity.js';
import { ExportersService } from '../../../transfers/exports/exporters/exporters.service.js';
import { ndjson } from '../../../transfers/exports/formats/json.js';
import { ExportSources } from '../../../transfers/exports/sources/export-sources.service.js';
import { ALL, type SourceParams } from '../../../transfers/exports/sources/source.js';
import { linesOf, TABLES } from './archive-rows.js';

const PAGE = 1_000;

/** A file of the archive. Its content is read when its turn comes. */
export interface ArchiveEntry {
  path: string;
  read: () => AsyncIterable<Uint8Array>;
}

type StoredData = Pick<ArchiveEntry, 'path'> & { source: SourceParams & { source: 'collection' | 'table' } };

const README = `Your data on Trawl.

account.json     your account and the entries of your sign-up form
skripts/         a folder for each skript. Zip one to upload it again
*.ndjson         runs, schedules, exporters, webhooks, API keys, input secrets and the audit log: one JSON object a line
storage/         your MongoDB collections and PostgreSQL tables: one document or row a line

Passwords, keys and the values of input secrets are not in this archive. Download the echoes of a run from its page.
`;

/** Lists the files of the archive of an account. */
@Injectable()
export class ArchiveEntries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly exporters: ExportersService,
    private readonly sources: ExportSources,
    private readonly databases: MongoDatabasesService,
    private readonly mongo: MongoAccessService,
    private readonly tables: PostgresTablesService,
  ) {}

  /**
   * Finds the account's collections and tables, so that a database that is down is noticed before the archive begins.
   * @throws {ApiError} 503 `storage_unavailable`.
   */
  async of(ownerId: string, signal: AbortSignal): Promise<AsyncIterable<ArchiveEntry>> {
    const stored = [...(await this.#collectionsOf(ownerId)), ...(await this.#tablesOf(ownerId))];
    return this.#entries(ownerId, stored, signal);
  }

  async *#entries(ownerId: string, stored: StoredData[], signal: AbortSignal): AsyncGenerator<ArchiveEntry> {
    yield { path: 'README.txt', read: () => text(README) };
    yield { path: 'account.json', read: () => this.#account(ownerId) };
    yield* this.#skripts(ownerId);
    for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
      yield { path: `${name}.ndjson`, read: () => linesOf(this.dataSource, name, ownerId) };
    }
    yield { path: 'exporters.ndjson', read: () => this.#exporters(ownerId) };
    for (const { path, source } of stored) {
      const options = { fields: null, added: ALL, signal };
      yield {
        path,
        read: () =>
          ndjson.write(
            untilDeleted(this.sources.get(source.source).read(ownerId, source, options)),
            null,
            {},
            new Map(),
          ),
      };
    }
  }

  async *#account(ownerId: string): AsyncGenerator<Uint8Array> {
    const [row] = await this.dataSource.query<{ account: string }[]>(
      `SELECT json_build_object('id', u.id, 'username', u.username, 'role', u.role, 'quotas', u.quotas,
         'created_at', u.created_at, 'profile', (SELECT row_to_json(p) FROM profiles p WHERE p.user_id = u.id),
         'email_events', (SELECT n.email_events FROM notification_settings n WHERE n.user_id = u.id))::text AS account
       FROM users u WHERE u.id = $1`,
      [ownerId],
    );
    yield Buffer.from(JSON.stringify(JSON.parse(row?.account ?? 'null'), null, 2));
  }

  async *#skripts(ownerId: string): AsyncGenerator<ArchiveEntry> {
    const ids = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM skripts WHERE owner_id = $1 ORDER BY id',
      [ownerId],
    );
    const free = new FreeNames();
    for (const { id } of ids) {
      const skript = await this.dataSource.getRepository(Skript).findOneBy({ id, owner_id: ownerId });
      if (!skript) continue;
      const folder = `skripts/${free.take(fileNameOf(skript.title, 'skript'))}`;
      const manifest = JSON.stringify(Object.fromEntries(EDITABLE.map(name => [name, skript[name]])), null, 2);
      yield { path: `${folder}/${MANIFEST}`, read: () => text(`${manifest}\n`) };
      const parts = await this.dataSource.query<{ id: string; name: string; is_file: boolean }[]>(
        `SELECT id, name, true AS is_file FROM skript_files WHERE skript_id = $1
         UNION ALL SELECT id, name, false FROM inputs WHERE skript_id = $1 ORDER BY name`,
        [id],
      );
      for (const part of parts) {
        if (part.is_file && fileNameProblem(part.name) !== null) continue;
        yield { path: `${folder}/${part.name}`, read: () => this.#part(part) };
      }
    }
  }

  async *#part({ id, is_file }: { id: string; is_file: boolean }): AsyncGenerator<Uint8Array> {
    const [row] = await this.dataSource.query<{ content: string }[]>(
      is_file
        ? 'SELECT content FROM skript_files WHERE id = $1'
        : 'SELECT val::text AS content FROM inputs WHERE id = $1',
      [id],
    );
    if (row) yield fileBytes(row.content);
  }

  async *#exporters(ownerId: string): AsyncGenerator<Uint8Array> {
    const { items } = await this.exporters.list(ownerId, { limit: PAGE, skip: 0 });
    yield Buffer.from(items.map(item => `${JSON.stringify(item)}\n`).join(''));
  }

  async #collectionsOf(ownerId: string): Promise<StoredData[]> {
    const free = new FreeNames();
    const found: StoredData[] = [];
    for await (const { id, name } of pages(query => this.databases.list(ownerId, query))) {
      const folder = `storage/mongodb/${fileNameOf(name, 'database')}`;
      for (const collection of (await this.mongo.onDatabase(ownerId, id, collectionsIn)).sort()) {
        const path = free.take(`${folder}/${fileNameOf(collection, 'collection')}`);
        found.push({ path: `${path}.ndjson`, source: { source: 'collection', db_id: id, collection } });
      }
    }
    return found;
  }

  async #tablesOf(ownerId: string): Promise<StoredData[]> {
    const free = new FreeNames();
    const found: StoredData[] = [];
    for await (const { schema, name, kind } of pages(query => this.tables.list(ownerId, query))) {
      if (kind !== 'table') continue;
      const folder = `storage/postgresql/${fileNameOf(schema, 'schema')}`;
      const path = free.take(`${folder}/${fileNameOf(name, 'table')}`);
      found.push({ path: `${path}.ndjson`, source: { source: 'table', schema, table: name } });
    }
    return found;
  }
}

/** Makes names unique, also on systems that ignore case. */
class FreeNames {
  readonly #taken = new Set<string>();

  take(name: string): string {
    let free = name;
    for (let number = 2; this.#taken.has(free.toLowerCase()); number += 1) free = `${name} (${number})`;
    this.#taken.add(free.toLowerCase());
    return free;
  }
}

async function* text(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

/** Reads what the account may delete while its archive is written. */
async function* untilDeleted<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
  }
}

/** Reads a whole list, page by page. */
async function* pages<Item>(list: (query: { limit: number; skip: number }) => Promise<List<Item>>) {
  for (let skip = 0; ; skip += PAGE) {
    const { items } = await list({ limit: PAGE, skip });
    yield* items;
    if (items.length < PAGE) return;
  }
}
