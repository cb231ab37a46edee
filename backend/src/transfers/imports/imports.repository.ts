import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { deleteInBatches } from '../../platform/common/sql/delete-in-batches.js';
import type { Job } from '../../platform/jobs/job.entity.js';
import type { TakenJob } from '../../platform/jobs/job-kinds.service.js';
import { databaseNow } from '../../runs/scheduler/schedules.repository.js';
import type { Import } from './import.entity.js';
import { type ImportParams, type ImportResult, isForTable } from './import-params.js';
import type { MovePlan } from './moving/move-rows.js';
import type { Encoding } from './parsing/encodings.js';
import type { Source } from './parsing/source.js';

export type Part = 'source' | 'bad_rows';
type Holder = Pick<TakenJob<unknown>, 'id' | 'attempt'>;

/** The files are read in slices, so that other calls get their turn between two of them. */
const SLICE_BYTES = 64 * 1024;
/** Imports that one statement deletes. Each may have hundreds of megabytes. */
const IMPORTS_PER_DELETE = 10;

/** The bad rows of an import that are kept. */
const MAX_BAD_ROWS_BYTES = 16 * 1024 * 1024;

/** An import whose job has ended, but whose staging collection is still there, or whose transaction nobody has asked about. */
export type Unfinished = Pick<Import, 'id' | 'owner_id' | 'staging_db' | 'staging' | 'job_id' | 'move'>;

/** The columns of an import's job that the routes show. Its parameters, which can be long, are left out. */
export const JOB_COLUMNS = [
  'id',
  'state',
  'progress',
  'result',
  'error_code',
  'error_message',
  'started_at',
  'ended_at',
] as const satisfies (keyof Job)[];

export type JobView = Pick<Job<unknown, ImportResult>, (typeof JOB_COLUMNS)[number]>;

/** The SQL on `imports` and `import_chunks`, except simple reads. */
@Injectable()
export class ImportsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds an import whose file is about to arrive. @returns undefined if the account has `max` imports. */
  async begin(ownerId: string, name: string, max: number): Promise<string | undefined> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `INSERT INTO imports (id, owner_id, name)
       SELECT $1, $2, $3 WHERE (SELECT count(*) FROM imports WHERE owner_id = $2) < $4 RETURNING id`,
      [uuidv7(), ownerId, name, max],
    );
    return rows[0]?.id;
  }

  /** Adds a part of the source, and returns how many bytes the account's files have now. */
  async addSource(id: string, n: number, bytes: Buffer): Promise<number> {
    const [row] = await this.dataSource.query<{ total: number }[]>(
      `WITH chunk AS (INSERT INTO import_chunks (import_id, part, n, bytes) VALUES ($1, 'source', $2, $3)),
       grown AS (
         UPDATE imports SET bytes = bytes + $4, kept_bytes = kept_bytes + $4, updated_at = now() WHERE id = $1
         RETURNING owner_id)
       SELECT ($4 + sum(i.kept_bytes))::float8 AS total FROM grown JOIN imports i USING (owner_id)`,
      [id, n, bytes, bytes.length],
    );
    return row?.total ?? 0;
  }

  async finish(id: string, encoding: Encoding | 'none'): Promise<void> {
    await this.dataSource.query('UPDATE imports SET encoding = $2, updated_at = now() WHERE id = $1', [id, encoding]);
  }

  async remove(id: string): Promise<void> {
    await this.dataSource.query('DELETE FROM imports WHERE id = $1', [id]);
  }

  async *read(id: string, part: Part): AsyncGenerator<Buffer> {
    for (let n = 0; ; n += 1) {
      const [chunk] = await this.dataSource.query<{ bytes: Buffer }[]>(
        'SELECT bytes FROM import_chunks WHERE import_id = $1 AND part = $2 AND n = $3',
        [id, part, n],
      );
      if (!chunk) return;
      for (let at = 0; at < chunk.bytes.length; at += SLICE_BYTES) yield chunk.bytes.subarray(at, at + SLICE_BYTES);
    }
  }

  /** The uploaded file of an import. */
  source(id: string): Source {
    let starts: Promise<number[]> | undefined;
    /** The place of each chunk, and the size of the file. */
    const placesOf = async (): Promise<number[]> => {
      const chunks = await this.dataSource.query<{ bytes: number }[]>(
        `SELECT length(bytes) AS bytes FROM import_chunks WHERE import_id = $1 AND part = 'source' ORDER BY n`,
        [id],
      );
      const places = [0];
      for (const { bytes } of chunks) places.push((places.at(-1) ?? 0) + bytes);
      return places;
    };
    const places = () => {
      starts ??= placesOf();
      return starts;
    };
    return {
      open: () => this.read(id, 'source'),
      size: async () => (await places()).at(-1) ?? 0,
      slice: async (start, end) => {
        const parts: Buffer[] = [];
        for (const [n, at] of (await places()).entries()) {
          const next = (await places())[n + 1];
          if (next === undefined || next <= start || at >= end) continue;
          const [from, to] = [Math.max(start - at, 0), Math.min(end, next) - at];
          const [part] = await this.dataSource.query<{ bytes: Buffer }[]>(
            `SELECT substring(bytes FROM $3 FOR $4) AS bytes FROM import_chunks
             WHERE import_id = $1 AND part = 'source' AND n = $2`,
            [id, n, from + 1, to - from],
          );
          if (part) parts.push(part.bytes);
        }
        return Buffer.concat(parts);
      },
    };
  }

  /** Locks an account's import in the caller's transaction. */
  async lock(transaction: EntityManager, ownerId: string, id: string): Promise<Import | undefined> {
    const [row] = await transaction.query<Import[]>(
      `SELECT * FROM imports WHERE id = $1 AND owner_id = $2 AND encoding IS NOT NULL FOR UPDATE`,
      [id, ownerId],
    );
    return row;
  }

  /** Connects a new job to its import. */
  async setJob(transaction: EntityManager, id: string, jobId: string, params: ImportParams): Promise<void> {
    const target = isForTable(params)
      ? [null, null, params.schema, params.table]
      : [params.db_id, params.collection, null, null];
    await transaction.query(
      `UPDATE imports SET job_id = $2, format = $3, db_id = $4, collection = $5, table_schema = $6, table_name = $7,
         updated_at = now() WHERE id = $1`,
      [id, jobId, params.reading.format, ...target],
    );
  }

  /** Counts that a move is continued after a failure. */
  async countContinued(transaction: EntityManager, id: string): Promise<void> {
    await transaction.query(
      `UPDATE imports SET move = jsonb_set(move::jsonb, '{continued}', to_jsonb(coalesce((move ->> 'continued')::int, 0) + 1))
       WHERE id = $1`,
      [id],
    );
  }

  async jobOf({ job_id }: Import): Promise<JobView | null> {
    const [job] = await this.dataSource.query<JobView[]>(`SELECT ${JOB_COLUMNS.join(', ')} FROM jobs WHERE id = $1`, [
      job_id,
    ]);
    return job ?? null;
  }

  async find(id: string, db: Pick<EntityManager, 'query'> = this.dataSource): Promise<Import | undefined> {
    const [row] = await db.query<Import[]>('SELECT * FROM imports WHERE id = $1', [id]);
    return row;
  }

  /** Finds the import if this attempt still holds its job, also a cancelled one. */
  async findHeld(id: string, job: Holder): Promise<Import | undefined> {
    let row: Import | undefined;
    const find = async (transaction: EntityManager) => {
      [row] = await transaction.query<Import[]>('SELECT * FROM imports WHERE id = $1', [id]);
    };
    await this.#whileHeld(id, job, find, false);
    return row;
  }

  /**
   * Forgets what an earlier attempt has read, and records the staging collection of this one before it is created; null
   * for an import into PostgreSQL, which needs none.
   * @returns false if another backend has taken the job.
   */
  async beginStaging(id: string, job: Holder, dbName: string | null, name: string | null): Promise<boolean> {
    return this.#whileHeld(id, job, async transaction => {
      await transaction.query(`DELETE FROM import_chunks WHERE import_id = $1 AND part = 'bad_rows'`, [id]);
      await transaction.query(
        `UPDATE imports SET staging_db = $2, staging = $3, bad_rows = 0, moved_to = 0, kept_bytes = bytes,
           updated_at = now() WHERE id = $1`,
        [id, dbName, name],
      );
    });
  }

  /** From here on the import only goes forward. @returns false if the job was cancelled, or taken by another backend. */
  async beginMoving(id: string, job: Holder, plan: MovePlan, idPrefix: string | null): Promise<boolean> {
    return this.#whileHeld(id, job, async transaction => {
      await transaction.query('UPDATE imports SET move = $2, id_prefix = $3, updated_at = now() WHERE id = $1', [
        id,
        JSON.stringify(plan),
        idPrefix,
      ]);
    });
  }

  /** @returns false if the job was cancelled, or taken by another backend. */
  async addBadRows(id: string, job: Holder, lines: string, count: number): Promise<boolean> {
    return this.#whileHeld(id, job, transaction => appendBadRows(transaction, id, lines, count));
  }

  /**
   * Records up to which row all rows are moved, with the rows that MongoDB refused.
   * @returns false if another backend has taken the job.
   */
  async saveMoved(id: string, job: Holder, movedTo: number, lines: string, count: number): Promise<boolean> {
    return this.#whileHeld(
      id,
      job,
      async transaction => {
        await transaction.query('UPDATE imports SET moved_to = $2, updated_at = now() WHERE id = $1', [id, movedTo]);
        if (count > 0) await appendBadRows(transaction, id, lines, count);
      },
      false,
    );
  }

  /** Forgets a transaction that was rolled back, or about which nobody asks any more. */
  async forgetMove(id: string): Promise<void> {
    await this.dataSource.query('UPDATE imports SET move = NULL, updated_at = now() WHERE id = $1', [id]);
  }

  /** Forgets a staging collection that is gone. */
  async endStaging(id: string, name: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE imports SET staging_db = NULL, staging = NULL, move = NULL, updated_at = now()
       WHERE id = $1 AND staging = $2`,
      [id, name],
    );
  }

  /** Deletes the source, which is of no more use once its rows are imported. */
  async finishImport(transaction: EntityManager, id: string): Promise<void> {
    await transaction.query(`DELETE FROM import_chunks WHERE import_id = $1 AND part = 'source'`, [id]);
    await transaction.query(
      `UPDATE imports SET staging_db = NULL, staging = NULL, move = NULL, updated_at = now(), kept_bytes =
         (SELECT coalesce(sum(length(bytes)), 0) FROM import_chunks WHERE import_id = $1) WHERE id = $1`,
      [id],
    );
  }

  /** Returns PostgreSQL's time. */
  now(): Promise<Date> {
    return databaseNow(this.dataSource.manager);
  }

  /** Selects some of them at random, so that those that cannot be finished do not hide the others. */
  async unfinished(): Promise<Unfinished[]> {
    return this.dataSource.query(
      `SELECT i.id, i.owner_id, i.staging_db, i.staging, i.job_id, i.move
       FROM imports i LEFT JOIN jobs j ON j.id = i.job_id
       WHERE (i.staging IS NOT NULL OR i.move IS NOT NULL) AND (j.id IS NULL OR j.ended_at IS NOT NULL) ORDER BY random() LIMIT 100`,
    );
  }

  /** Deletes uploads whose backend has stopped: the slowest upload that is allowed adds a chunk every 17 minutes. They count towards the quota, but their owner cannot see them. */
  async deleteInterrupted(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM imports WHERE encoding IS NULL AND updated_at < now() - interval '30 minutes'`,
    );
  }

  /** Lists the databases of imports of the last hours. */
  async recentDatabases(): Promise<{ owner_id: string; db_id: string }[]> {
    return this.dataSource.query(
      `SELECT DISTINCT owner_id, db_id FROM imports WHERE db_id IS NOT NULL AND updated_at > now() - interval '2 hours'`,
    );
  }

  /** Returns those of the names of staging collections that no import has. */
  async withoutImport(names: string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(
      'SELECT asked.name FROM unnest($1::text[]) AS asked (name) WHERE NOT EXISTS (SELECT 1 FROM imports i WHERE i.staging = asked.name)',
      [names],
    );
    return rows.map(({ name }) => name);
  }

  async deleteOld(days: number): Promise<void> {
    await deleteInBatches(
      this.dataSource,
      'imports',
      `t.staging IS NULL AND t.move IS NULL AND t.created_at < now() - $1 * interval '1 day'
         AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = t.job_id AND j.ended_at IS NULL)`,
      [days],
      IMPORTS_PER_DELETE,
    );
  }

  /** Writes only if this attempt still holds the job, and with `unlessCancelled` only while it is not cancelled. */
  async #whileHeld(
    id: string,
    job: Holder,
    write: (transaction: EntityManager) => Promise<void>,
    unlessCancelled = true,
  ): Promise<boolean> {
    return this.dataSource.transaction(async transaction => {
      // A call that cancels the import locks the same row, so it comes either before this or after the write.
      await transaction.query('SELECT 1 FROM imports WHERE id = $1 FOR UPDATE', [id]);
      const held = await transaction.query<unknown[]>(
        `SELECT 1 FROM imports i JOIN jobs j ON j.id = i.job_id
         WHERE i.id = $1 AND j.id = $2 AND j.attempt = $3 AND j.state = 'running' AND NOT (j.cancel_requested AND $4)`,
        [id, job.id, job.attempt, unlessCancelled],
      );
      if (held.length > 0) await write(transaction);
      return held.length > 0;
    });
  }
}

async function appendBadRows(transaction: EntityManager, id: string, lines: string, count: number): Promise<void> {
  const bytes = Buffer.from(lines);
  await transaction.query(
    `WITH next AS (SELECT count(*)::int AS n FROM import_chunks WHERE import_id = $1 AND part = 'bad_rows'),
     chunk AS (
       INSERT INTO import_chunks (import_id, part, n, bytes)
       SELECT $1, 'bad_rows', n, $2 FROM next, imports WHERE id = $1 AND kept_bytes - imports.bytes + $4 <= $5 RETURNING n)
     UPDATE imports SET bad_rows = bad_rows + $3, updated_at = now(),
       kept_bytes = kept_bytes + $4 * (SELECT count(*) FROM chunk) WHERE id = $1`,
    [id, bytes, count, bytes.length, MAX_BAD_ROWS_BYTES],
  );
}
