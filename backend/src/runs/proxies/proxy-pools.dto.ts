import { ApiProperty } from '@nestjs/swagger';
import { PROXY_COUNTRY, PROXY_LIMITS, PROXY_POOL_NAME, PROXY_POOL_NAME_EXPECTED } from '@trawl/contracts';
import { EntityDto } from '../../platform/common/entity.js';
import { BooleanField, IntField, NumberField, StringField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';
import { ChangesOf } from '../../platform/http/updates/changes-of.js';

const STICKY =
  'Whether a run keeps its proxy as long as the proxy is healthy. Otherwise each new connection takes the next proxy.';
const PRICE =
  'Price of a gigabyte (1,000,000,000 bytes) in any currency, to show the cost of a run. Null: runs have no cost.';

const LINES = {
  description: `One proxy in each line, at most ${PROXY_LIMITS.addedAtOnce}: its address, beginning with \`http://\`, \`https://\` or \`socks5://\`, then optionally \`country=de\` (two letters) and \`tier=2\` (1 to 9; runs use a higher tier only if no proxy of a lower tier works). Lines that begin with \`#\` are left out. A proxy that the pool already has gets the tags of its line.`,
  example: 'http://ada:lantern-and-rope@proxy.example:8080 country=de tier=2',
  min: 1,
  max: 1_000_000,
};

export class ProxyPoolsQuery extends ListQuery {
  @StringField({ description: 'Lists only pools whose names contain this text.', max: 100, optional: true })
  name_contains?: string;
}

export class CreateProxyPoolDto {
  @StringField({
    description: 'Name of the pool, by which skripts use it. Unique among your pools.',
    example: 'residential',
    min: 1,
    max: 100,
    pattern: PROXY_POOL_NAME,
    expected: PROXY_POOL_NAME_EXPECTED,
  })
  name!: string;

  @BooleanField({ description: STICKY, default: false, optional: true })
  is_sticky?: boolean;

  @NumberField({ description: PRICE, example: 3.5, min: 0, max: 1_000_000, optional: true, nullable: true })
  price_per_gb?: number | null;

  @StringField({ ...LINES, optional: true })
  lines?: string;
}

export class UpdateProxyPoolDto extends ChangesOf(CreateProxyPoolDto, { without: ['lines'] }) {}

export class AddProxiesDto {
  @StringField(LINES)
  lines!: string;
}

export class UpdateProxyDto {
  @StringField({
    description: 'Two small letters. Null: the proxy has no country.',
    example: 'de',
    max: 2,
    pattern: PROXY_COUNTRY,
    expected: 'two small letters, such as de',
    optional: true,
    nullable: true,
  })
  country?: string | null;

  @IntField({
    description: 'Runs use a higher tier only if no proxy of a lower tier works.',
    example: 2,
    ...PROXY_LIMITS.tiers,
    optional: true,
  })
  tier?: number;
}

const count = (description: string, example: number) => ApiProperty({ type: 'integer', description, example });

/** The use of a proxy, or of all proxies of a pool together. */
class UsedProxiesDto extends EntityDto {
  @count('Connections that were opened for runs.', 1_200)
  connections!: number;
  @count('Connections that were refused or not opened in time.', 14)
  failures!: number;
  @count('Bytes that runs sent.', 48_000)
  bytes_sent!: number;
  @count('Bytes that runs received.', 9_600_000)
  bytes_received!: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When a run last reported a use.' })
  last_used_at!: string | null;
}

export class ProxyPoolDto extends UsedProxiesDto {
  @ApiProperty({ example: 'residential' })
  name!: string;
  @ApiProperty({ description: STICKY })
  is_sticky!: boolean;
  @ApiProperty({ type: 'number', nullable: true, description: PRICE, example: 3.5 })
  price_per_gb!: number | null;
  @count('Number of its proxies.', 20)
  proxies!: number;
  @count('Proxies that rest now, because they failed three times in a row.', 1)
  resting!: number;
  @ApiProperty({ type: [String], description: 'Countries of its proxies.', example: ['de', 'us'] })
  countries!: string[];
  @ApiProperty({ type: 'array', items: { type: 'integer' }, description: 'Tiers of its proxies.', example: [1, 2] })
  tiers!: number[];
}

export const PROXY_STATES = ['unused', 'healthy', 'failing', 'resting', 'unusable'] as const;

export class ProxyDto extends UsedProxiesDto {
  @ApiProperty({
    description: 'Address without user name and password, which the API never returns.',
    example: 'http://proxy.example:8080',
  })
  address!: string;
  @ApiProperty({ type: String, nullable: true, example: 'de' })
  country!: string | null;
  @ApiProperty({ type: 'integer', example: 2 })
  tier!: number;
  @ApiProperty({
    enum: PROXY_STATES,
    description:
      '`failing`: its last connection failed. `resting`: runs use it only if no other proxy is left. `unusable`: its scheme is not `http`, `https` or `socks5`, or its port is 0, so runs never use it.',
  })
  state!: (typeof PROXY_STATES)[number];
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When its rest ends.' })
  rests_until!: string | null;
}

export class AddedProxiesDto {
  @count('Proxies that are new in the pool.', 20)
  added!: number;
  @count('Proxies that the pool had. They got the tags of their lines.', 0)
  known!: number;
}
