import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource } from 'typeorm';

const MONTHS_AHEAD = 2;
/** With what a partition's bounds are, of a moment. */
const TABLES: [table: string, boundOf: (moment: Date) => string][] = [
  ['executions', firstIdOf],
  ['echo_chunks', firstIdOf],
  ['schedule_fires', moment => moment.toISOString()],
];

/** Makes the monthly partitions of the history tables before they are needed. */
@Injectable()
export class PartitionsService implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    await this.makeAhead();
  }

  @Cron('0 3 * * *')
  async makeAhead(now = new Date()): Promise<void> {
    for (let ahead = -1; ahead <= MONTHS_AHEAD; ahead++) {
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
      const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
      const suffix = `${from.getUTCFullYear()}_${String(from.getUTCMonth() + 1).padStart(2, '0')}`;
      for (const [table, boundOf] of TABLES) {
        await this.dataSource.query(
          `CREATE TABLE IF NOT EXISTS ${table}_${suffix} PARTITION OF ${table}
           FOR VALUES FROM ('${boundOf(from)}') TO ('${boundOf(to)}')`,
        );
      }
    }
  }
}

/** The smallest UUIDv7 of a moment: its first 48 bits are the Unix time in ms. */
function firstIdOf(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
