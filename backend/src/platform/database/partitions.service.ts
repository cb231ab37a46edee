import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { firstIdAt } from '../common/sql/first-id-at.js';
import { Cleanups } from './cleanups.service.js';

const MONTHS_AHEAD = 2;
/** Number of chunks of echoes that one statement reads, so that it stays far below its timeout. */
const BATCH_CHUNKS = 20_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 24 * 60 * 60 * 1_000;
/**
 * The partitioned tables, in the order in which their partitions are dropped: without its execution, a run gets no more
 * chunks of echoes, so that no chunk's object is missed. `boundOf` converts a moment to the text of a partition's bound.
 */
const TABLES: [table: string, boundOf: (moment: Date) => string][] = [
  ['executions', firstIdAt],
  ['echo_chunks', firstIdAt],
  ['execution_proxies', firstIdAt],
  ['schedule_fires', moment => moment.toISOString()],
];

/** Key of a PostgreSQL advisory lock: several backends create partitions one after the other. */
const LOCK = 7_241_003;

/** Creates the monthly partitions around a moment, by default now by PostgreSQL's clock. */
export async function createPartitions(dataSource: DataSource, at?: Date): Promise<void> {
  await dataSource.transaction(async manager => {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const [row] = await manager.query<[{ now: Date }]>('SELECT now() AS now');
    for (let ahead = -1; ahead <= MONTHS_AHEAD; ahead++) {
      const from = startOfMonth(at ?? row.now, ahead);
      const suffix = `${from.getUTCFullYear()}_${String(from.getUTCMonth() + 1).padStart(2, '0')}`;
      for (const [table, boundOf] of TABLES) {
        await manager.query(
          `CREATE TABLE IF NOT EXISTS ${table}_${suffix} PARTITION OF ${table}
           FOR VALUES FROM ('${boundOf(from)}') TO ('${boundOf(startOfMonth(from, 1))}')`,
        );
      }
    }
  });
}

/** Creates the monthly partitions of the history tables ahead of time, and drops expired ones. */
@Injectable()
export class PartitionsService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Pick<Config, 'historyDays'>,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('partitions', 'nightly', () => this.maintain());
  }

  async maintain(at?: Date): Promise<void> {
    // By PostgreSQL's clock, so that a backend whose clock is ahead drops nothing too early.
    const now = at ?? (await this.#databaseNow());
    await createPartitions(this.dataSource, now);
    await this.dropExpired(now);
  }

  async #databaseNow(): Promise<Date> {
    const [row] = await this.dataSource.query<[{ now: Date }]>('SELECT now() AS now');
    return row.now;
  }

  /** Drops partitions whose whole month is older than the retention period. */
  async dropExpired(now: Date): Promise<void> {
    if (this.config.historyDays === 0) return;
    const keptFrom = now.getTime() - this.config.historyDays * DAY_MS;
    const partitions = await this.dataSource.query<{ name: string }[]>(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       JOIN unnest($1::regclass[]) WITH ORDINALITY AS kept (parent, n) ON kept.parent = i.inhparent ORDER BY kept.n`,
      [TABLES.map(([table]) => table)],
    );
    for (const { name } of partitions) {
      const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? [];
      if (!year || Date.UTC(Number(year), Number(month), 1) > keptFrom) continue;
      await this.#drop(name);
    }
  }

  async #drop(partition: string): Promise<void> {
    if (partition.startsWith('echo_chunks_')) await this.#deleteObjectsOf(partition);
    await this.dataSource.query(`DROP TABLE IF EXISTS ${partition}`);
  }

  /** Registers the objects of a month of echoes for deletion. Dropping the partition fires no trigger that would do so. */
  async #deleteObjectsOf(partition: string): Promise<void> {
    let last: { execution_id: string; n: number } | undefined = { execution_id: LOWEST_ID, n: 0 };
    while (last) {
      const { execution_id, n }: { execution_id: string; n: number } = last;
      [last] = await this.dataSource.query<{ execution_id: string; n: number }[]>(
        `WITH chunks AS (
           SELECT execution_id, n, object_key FROM ${partition} WHERE (execution_id, n) > ($1, $2)
           ORDER BY execution_id, n LIMIT ${BATCH_CHUNKS}),
         registered AS (
           INSERT INTO object_deletions (key) SELECT object_key FROM chunks WHERE object_key IS NOT NULL
           ON CONFLICT (key) DO NOTHING)
         SELECT execution_id, n FROM chunks ORDER BY execution_id DESC, n DESC LIMIT 1`,
        [execution_id, n],
      );
    }
  }
}

/** Returns the start of the month that is `after` months after the month of `moment`. */
const startOfMonth = (moment: Date, after: number): Date =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + after, 1));
