import { ApiProperty } from '@nestjs/swagger';
import type { QuotaLimits, QuotaName } from '@trawl/contracts';
import { IntField } from '../common/fields.js';

const MAX = Number.MAX_SAFE_INTEGER;
const Override = (description: string, example: number) =>
  IntField({ description, example, min: 0, max: MAX, optional: true, nullable: true });

/**
 * What an account may have, where that differs from the installation's settings. 0 is without limit; null, or left out,
 * is what the installation says.
 */
export class QuotasDto implements Partial<Record<QuotaName, number | null>> {
  @Override('Skripts.', 200)
  skripts?: number | null;

  @Override('Bytes of all files of all skripts.', 104_857_600)
  file_bytes?: number | null;

  @Override('Inputs and input secrets of all skripts.', 2_000)
  inputs?: number | null;

  @Override('Runs that go on, those that wait for a worker too.', 50)
  runs_at_once?: number | null;

  @Override('Starts in one day, of UTC.', 10_000)
  runs_per_day?: number | null;

  @Override('Bytes of documents and indexes in all MongoDB databases.', 1_073_741_824)
  storage_bytes?: number | null;

  @Override('MongoDB databases.', 1)
  databases?: number | null;

  @Override('API keys that were not revoked.', 20)
  api_keys?: number | null;

  @Override('Schedules.', 50)
  schedules?: number | null;
}

/** What `users.quotas` holds after `sent` was applied: nothing for what the installation decides. */
export function overriddenBy(sent: QuotasDto, kept: Partial<QuotaLimits> = {}): Partial<QuotaLimits> {
  const set = Object.entries({ ...kept, ...sent }).filter(([, limit]) => limit !== null && limit !== undefined);
  return Object.fromEntries(set) as Partial<QuotaLimits>;
}

export class QuotaUseDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'The most there may be; null: no limit.', example: 200 })
  limit!: number | null;

  @ApiProperty({ type: 'integer', description: 'How much there is.', example: 3 })
  used!: number;
}

/** What the account may have, and what it has. */
export class QuotaUsesDto implements Record<QuotaName, QuotaUseDto> {
  @ApiProperty({ description: 'Skripts.' })
  skripts!: QuotaUseDto;

  @ApiProperty({ description: 'Bytes of all files of all skripts.' })
  file_bytes!: QuotaUseDto;

  @ApiProperty({ description: 'Inputs and input secrets of all skripts.' })
  inputs!: QuotaUseDto;

  @ApiProperty({ description: 'Runs that go on, those that wait for a worker too.' })
  runs_at_once!: QuotaUseDto;

  @ApiProperty({ description: 'Starts since midnight, UTC. Retries are not counted.' })
  runs_per_day!: QuotaUseDto;

  @ApiProperty({
    description: 'Bytes of documents and indexes in all MongoDB databases, as measured last; a few seconds old.',
  })
  storage_bytes!: QuotaUseDto;

  @ApiProperty({ description: 'MongoDB databases.' })
  databases!: QuotaUseDto;

  @ApiProperty({ description: 'API keys that were not revoked.' })
  api_keys!: QuotaUseDto;

  @ApiProperty({ description: 'Schedules.' })
  schedules!: QuotaUseDto;
}
