import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { firstIdAt } from '../common/first-id-at.js';

const MONTHS_AHEAD = 2;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** With what a partition's bounds are, of a moment. */
const TABLES: [table: string, boundOf: (moment: Date) => string][] = [
  ['executions', firstIdAt],
  ['echo_chunks', firstIdAt],
  ['schedule_fires', moment => moment.toISOString()],
];

/** Makes the monthly partitions of the history tables before they are needed, and drops those that are old enough. */
@Injectable()
export class PartitionsService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.makeAhead();
  }

  @Cron('0 3 * * *')
  async keepInOrder(now = new Date()): Promise<void> {
    await this.makeAhead(now);
    await this.dropOld(now);
  }

  async makeAhead(now = new Date()): Promise<void> {
    for (let ahead = -1; ahead <= MONTHS_AHEAD; ahead++) {
      const from = monthOf(now, ahead);
      const suffix = `${from.getUTCFullYear()}_${String(from.getUTCMonth() + 1).padStart(2, '0')}`;
      for (const [table, boundOf] of TABLES) {
        await this.dataSource.query(
          `CREATE TABLE IF NOT EXISTS ${table}_${suffix} PARTITION OF ${table}
           FOR VALUES FROM ('${boundOf(from)}') TO ('${boundOf(monthOf(from, 1))}')`,
        );
      }
    }
  }

  /** Months whose last day is longer ago than history is kept. */
  async dropOld(now: Date): Promise<void> {
    if (this.config.historyDays === 0) return;
    const keptFrom = now.getTime() - this.config.historyDays * DAY_MS;
    const partitions = await this.dataSource.query<{ name: string }[]>(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = ANY($1::regclass[])`,
      [TABLES.map(([table]) => table)],
    );
    for (const { name } of partitions) {
      const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? [];
      if (!year || Date.UTC(Number(year), Number(month), 1) > keptFrom) continue;
      await this.dataSource.query(`DROP TABLE ${name}`);
    }
  }
}

/** The first moment of a month, by how many it is after that of `moment`. */
const monthOf = (moment: Date, after: number): Date =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + after, 1));
