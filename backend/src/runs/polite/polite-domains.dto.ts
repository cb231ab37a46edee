import { ApiProperty } from '@nestjs/swagger';
import { POLITE_LIMITS, ROBOTS_MODES, type RobotsMode } from '@trawl/contracts';
import { EnumField, IntField, NumberField, StringField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';

export const SHOWN_DOMAINS = ['all', 'set', 'closed'] as const;
export const SETTING_SOURCES = ['domain', 'account', 'default'] as const;

export class PoliteDomainsQuery extends ListQuery {
  @StringField({ description: 'Lists only domains that contain this text.', example: 'shop', max: 100, optional: true })
  domain_contains?: string;

  @EnumField(SHOWN_DOMAINS, {
    description: '`set`: lists only domains with settings of their own. `closed`: lists only closed domains.',
    default: 'all',
    optional: true,
  })
  show: (typeof SHOWN_DOMAINS)[number] = 'all';
}

export class PoliteSettingsDto {
  @NumberField({
    description: 'Requests that all polite runs of the account together send to the domain each second, on average.',
    min: POLITE_LIMITS.minRequestsPerSecond,
    max: POLITE_LIMITS.maxRequestsPerSecond,
    default: POLITE_LIMITS.requestsPerSecond,
    example: 2.5,
    optional: true,
  })
  requests_per_second: number = POLITE_LIMITS.requestsPerSecond;

  @IntField({
    description: 'Requests that may follow each other at once after a pause. Use 1 to space all requests evenly.',
    min: 1,
    max: POLITE_LIMITS.maxBurst,
    default: POLITE_LIMITS.burst,
    example: 1,
    optional: true,
  })
  burst: number = POLITE_LIMITS.burst;

  @IntField({
    description:
      'Requests that all polite runs of the account together have in progress at the domain. Null: there is no limit.',
    min: 1,
    max: POLITE_LIMITS.maxConcurrency,
    example: 2,
    optional: true,
    nullable: true,
  })
  max_concurrency: number | null = null;

  @EnumField(ROBOTS_MODES, {
    description:
      'How polite runs apply the robots.txt of the domain. `obey`: disallowed requests fail, and the crawl delay slows the runs. `warn`: runs only echo a warning.',
    default: ROBOTS_MODES[0],
    optional: true,
  })
  robots: RobotsMode = ROBOTS_MODES[0];
}

/** The budget of a domain. */
export class PoliteDomainDto {
  @ApiProperty({
    description:
      'A host, with its port if this is not the default port. `*` is the default of the account for all other domains.',
    example: 'shop.example',
  })
  domain!: string;
  @ApiProperty({
    description: 'Requests that all polite runs of the account together send to the domain each second.',
    example: 2.5,
  })
  requests_per_second!: number;
  @ApiProperty({ type: 'integer', description: 'Requests that may follow each other at once.', example: 1 })
  burst!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Requests that all polite runs of the account together have in progress. Null: there is no limit.',
    example: 2,
  })
  max_concurrency!: number | null;
  @ApiProperty({ enum: ROBOTS_MODES, description: 'How polite runs apply the robots.txt of the domain.' })
  robots!: RobotsMode;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Crawl delay that a run last read in the robots.txt of the domain. Null if unknown.',
    example: null,
  })
  crawl_delay_ms!: number | null;
  @ApiProperty({
    enum: SETTING_SOURCES,
    description: 'Where the budget comes from: settings of this domain, of `*`, or the default of Trawl.',
  })
  source!: (typeof SETTING_SOURCES)[number];
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until then polite runs send no requests, because the domain answered 429 or 503. Null: it is open.',
  })
  closed_until!: string | null;
}
