import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { SAME_SITES, SESSION_NAME, SESSION_NAME_EXPECTED } from '@trawl/contracts';
import { ArrayMaxSize, ArrayMinSize, IsArray, Matches, MaxLength } from 'class-validator';
import { EntityDto } from '../../../platform/common/entity.js';
import { Holding, StringField } from '../../../platform/http/fields.js';
import { ListQuery } from '../../../platform/http/lists/list-query.js';

const MAX_ORIGINS = 50;
const MAX_CONTENT_CHARS = 1_000_000;
const ORIGIN_EXPECTED = 'origins such as https://shop.example';

const OriginsField = () =>
  applyDecorators(
    ApiProperty({
      description: 'Origins of the site, such as `https://shop.example`. Cookies of other sites are left out.',
      type: 'array',
      minItems: 1,
      maxItems: MAX_ORIGINS,
      items: { type: 'string', maxLength: 300, pattern: '^https?://[^/\\s?#]+$' },
      example: ['https://shop.example'],
    }),
    Holding({ atMost: MAX_ORIGINS }),
    IsArray({ message: `$property must be a list of ${ORIGIN_EXPECTED}` }),
    ArrayMinSize(1, { message: '$property must have at least one origin' }),
    ArrayMaxSize(MAX_ORIGINS, { message: `$property must have at most ${MAX_ORIGINS} origins` }),
    MaxLength(300, { each: true, message: `$property must be ${ORIGIN_EXPECTED}` }),
    Matches(/^https?:\/\/[^/\s?#]+$/, { each: true, message: `$property must be ${ORIGIN_EXPECTED}` }),
  );

export class SiteSessionsQuery extends ListQuery {
  @StringField({ description: 'Lists only sessions whose names contain this text.', max: 100, optional: true })
  name_contains?: string;
}

export class ImportSiteSessionDto {
  @StringField({
    description: 'Name of the session, by which skripts use it. A session of this name gets the imported value.',
    example: 'shop',
    min: 1,
    max: 100,
    pattern: SESSION_NAME,
    expected: SESSION_NAME_EXPECTED,
  })
  name!: string;

  @OriginsField()
  origins!: string[];

  @StringField({
    description:
      'The file with cookies: JSON of a browser extension, a Playwright storage state, or an exported session; or the Netscape format, `cookies.txt`.',
    example: 'shop.example\tFALSE\t/\tTRUE\t0\ttoken\tlantern-and-rope',
    min: 1,
    max: MAX_CONTENT_CHARS,
  })
  content!: string;

  @StringField({
    description: 'The user agent of the browser, which sites may compare with the login.',
    example: 'Mozilla/5.0 (X11; Linux x86_64)',
    min: 1,
    max: 1_000,
    pattern: /^[\x20-\x7e]+$/,
    expected: 'text of ASCII characters in one line',
    optional: true,
  })
  user_agent?: string;
}

export class SessionRunDto {
  @ApiProperty({ format: 'uuid' })
  execution_id!: string;
  @ApiProperty({ example: 'Members only' })
  skript_name!: string;
  @ApiProperty({ description: 'Whether the run logs in now, and other runs wait for it.' })
  logs_in!: boolean;
}

export class SiteSessionDto extends EntityDto {
  @ApiProperty({ example: 'shop' })
  name!: string;
  @ApiProperty({
    description: 'Origins whose cookies and storage it has.',
    type: [String],
    example: ['https://shop.example'],
  })
  origins!: string[];
  @ApiProperty({ description: 'Number of cookies.', type: 'integer', example: 3 })
  cookies!: number;
  @ApiProperty({
    description: 'Size of the value, which the API does not return, as JSON text.',
    type: 'integer',
    example: 1_024,
  })
  bytes!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Mozilla/5.0 (X11; Linux x86_64)',
    description: 'The user agent to which the login belongs.',
  })
  user_agent!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the session was last saved. Null: no run has logged in yet.',
  })
  saved_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the login expires. Null: only the site knows.',
  })
  expires_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_used_at!: string | null;
  @ApiProperty({ description: 'Live runs that use it, at most 20.', type: [SessionRunDto] })
  runs!: SessionRunDto[];
}

class CookieDto {
  @ApiProperty({ example: 'token' })
  name!: string;
  @ApiProperty({ example: 'lantern-and-rope' })
  value!: string;
  @ApiProperty({ description: 'Begins with a dot if subdomains get the cookie, too.', example: '.shop.example' })
  domain!: string;
  @ApiProperty({ example: '/' })
  path!: string;
  @ApiProperty({ description: 'Seconds since 1970; -1 for a cookie that ends with the browser.', example: -1 })
  expires!: number;
  @ApiProperty()
  httpOnly!: boolean;
  @ApiProperty()
  secure!: boolean;
  @ApiProperty({ enum: SAME_SITES })
  sameSite!: (typeof SAME_SITES)[number];
}

class StoredItemDto {
  @ApiProperty({ example: 'token' })
  name!: string;
  @ApiProperty({ example: 'lantern-and-rope' })
  value!: string;
}

class OriginStateDto {
  @ApiProperty({ example: 'https://shop.example' })
  origin!: string;
  @ApiProperty({ type: [StoredItemDto] })
  localStorage!: StoredItemDto[];
  @ApiProperty({ type: [StoredItemDto] })
  sessionStorage!: StoredItemDto[];
}

export class SessionValueDto {
  @ApiProperty({ type: [CookieDto] })
  cookies!: CookieDto[];
  @ApiProperty({ type: [OriginStateDto] })
  origins!: OriginStateDto[];
  @ApiProperty({ type: String, nullable: true, example: 'Mozilla/5.0 (X11; Linux x86_64)' })
  userAgent!: string | null;
  @ApiProperty({
    description: 'Seconds since 1970 after which runs log in again, from `maxAgeMs` of `session`. Missing: no limit.',
    required: false,
    example: 1_798_761_600,
  })
  expires?: number;
}
