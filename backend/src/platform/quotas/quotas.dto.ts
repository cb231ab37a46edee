import { ApiProperty } from '@nestjs/swagger';
import type { QuotaLimits, QuotaName } from '@trawl/contracts';
import { IntField } from '../http/fields.js';

const MAX = Number.MAX_SAFE_INTEGER;
const Override = (description: string, example: number) =>
  IntField({ description, example, min: 0, max: MAX, optional: true, nullable: true });

/**
 * Quotas of an account that differ from the installation's defaults. 0 is unlimited; null or a missing field is the
 * default.
 */
export class QuotasDto implements Partial<Record<QuotaName, number | null>> {
  @Override('Maximum number of skripts.', 200)
  skripts?: number | null;

  @Override('Maximum bytes in the files of all skripts.', 104_857_600)
  file_bytes?: number | null;

  @Override('Maximum number of inputs, input secrets and sessions.', 2_000)
  inputs?: number | null;

  @Override('Maximum number of live runs, including waiting ones.', 50)
  runs_at_once?: number | null;

  @Override('Maximum number of waiting runs.', 1_000)
  waiting_runs?: number | null;

  @Override('Maximum number of runs started per day (UTC).', 10_000)
  runs_per_day?: number | null;

  @Override('Maximum bytes of saved echoes (compressed) and outputs per day (UTC).', 268_435_456)
  echo_bytes_per_day?: number | null;

  @Override(
    'Maximum bytes of documents, tables and indexes in all databases, of MongoDB and PostgreSQL.',
    1_073_741_824,
  )
  storage_bytes?: number | null;

  @Override('Maximum number of MongoDB databases.', 1)
  databases?: number | null;

  @Override('Maximum number of active API keys.', 20)
  api_keys?: number | null;

  @Override('Maximum number of schedules.', 50)
  schedules?: number | null;

  @Override('Maximum number of webhooks.', 10)
  webhooks?: number | null;

  @Override('Maximum number of proxies in all pools, and of pools.', 10_000)
  proxies?: number | null;
}

/**
 * Returns the new value of `users.quotas` after the sent changes. It contains no entry for a quota that has its
 * default.
 */
export function overriddenBy(sent: QuotasDto, kept: Partial<QuotaLimits> = {}): Partial<QuotaLimits> {
  const set = Object.entries({ ...kept, ...sent }).filter(([, limit]) => limit !== null && limit !== undefined);
  return Object.fromEntries(set) as Partial<QuotaLimits>;
}

export class QuotaUseDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Limit; null: unlimited.', example: 200 })
  limit!: number | null;

  @ApiProperty({ type: 'integer', description: 'Current usage.', example: 3 })
  used!: number;
}

/** Limit and usage of each quota. */
export class QuotaUsesDto implements Record<QuotaName, QuotaUseDto> {
  @ApiProperty({ description: 'Number of skripts.' })
  skripts!: QuotaUseDto;

  @ApiProperty({ description: 'Bytes in the files of all skripts.' })
  file_bytes!: QuotaUseDto;

  @ApiProperty({ description: 'Number of inputs, input secrets and sessions.' })
  inputs!: QuotaUseDto;

  @ApiProperty({ description: 'Number of live runs, including waiting ones.' })
  runs_at_once!: QuotaUseDto;

  @ApiProperty({ description: 'Number of runs that wait for a worker or for their next attempt.' })
  waiting_runs!: QuotaUseDto;

  @ApiProperty({ description: 'Number of starts since midnight UTC, without retries.' })
  runs_per_day!: QuotaUseDto;

  @ApiProperty({
    description:
      'Bytes of echoes (compressed) and outputs that runs saved since midnight UTC. Outputs are counted within seconds.',
  })
  echo_bytes_per_day!: QuotaUseDto;

  @ApiProperty({
    description:
      'Bytes of documents, tables and indexes in all databases, of MongoDB and PostgreSQL, at the last measurement a few seconds ago.',
  })
  storage_bytes!: QuotaUseDto;

  @ApiProperty({ description: 'Number of MongoDB databases.' })
  databases!: QuotaUseDto;

  @ApiProperty({ description: 'Number of active API keys.' })
  api_keys!: QuotaUseDto;

  @ApiProperty({ description: 'Number of schedules.' })
  schedules!: QuotaUseDto;

  @ApiProperty({ description: 'Number of webhooks.' })
  webhooks!: QuotaUseDto;

  @ApiProperty({ description: 'Number of proxies in all pools, and of pools.' })
  proxies!: QuotaUseDto;
}
