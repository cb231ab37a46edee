import { ApiProperty, PickType } from '@nestjs/swagger';
import { BODY_ENCODINGS, EXCHANGE_SOURCES, type ExchangeSource, type HeaderPair } from '@trawl/contracts';

const HEADERS = {
  type: 'array' as const,
  items: { type: 'array' as const, items: { type: 'string' as const }, minItems: 2, maxItems: 2 },
  description:
    'Each is a name and a value. Values of `Authorization`, `Cookie`, `Set-Cookie` and `Proxy-Authorization` are `[redacted]`.',
  example: [['content-type', 'text/html']],
};

class ExchangeBodyDto {
  @ApiProperty({ enum: BODY_ENCODINGS })
  encoding!: 'text' | 'base64';
  @ApiProperty({ example: '<!doctype html><title>Access denied</title>' })
  data!: string;
}

export class ExchangeDto {
  @ApiProperty({ type: 'integer', description: 'Counts the exchanges of the run from 1.', example: 12 })
  sequence!: number;
  @ApiProperty({ format: 'date-time' })
  started_at!: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Null if the exchange was not over when the run ended.',
    example: 84,
  })
  duration_ms!: number | null;
  @ApiProperty({
    enum: EXCHANGE_SOURCES,
    description:
      '`undici`: `fetch`, and undici from npm. `http`: Node’s `http` and `https`, with which axios and got work. `browser`: a page of the browser.',
  })
  via!: ExchangeSource;
  @ApiProperty({ example: 'GET' })
  method!: string;
  @ApiProperty({ example: 'https://books.example/list?page=2' })
  url!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null if no answer came.', example: 403 })
  status!: number | null;
  @ApiProperty({ example: 'Forbidden' })
  status_text!: string;
  @ApiProperty({ example: 'text/html; charset=utf-8', description: 'Header `content-type` of the answer.' })
  content_type!: string;
  @ApiProperty({ type: 'integer', description: 'Bytes of the body that came over the network.', example: 5120 })
  body_bytes!: number;
  @ApiProperty({ description: 'Whether a body lacks its end or is missing, because of a limit.' })
  is_cut!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Why the exchange failed.', example: null })
  error!: string | null;
  @ApiProperty(HEADERS)
  request_headers!: HeaderPair[];
  @ApiProperty({ type: ExchangeBodyDto, nullable: true })
  request_body!: ExchangeBodyDto | null;
  @ApiProperty(HEADERS)
  response_headers!: HeaderPair[];
  @ApiProperty({ type: ExchangeBodyDto, nullable: true, description: 'Decompressed.' })
  body!: ExchangeBodyDto | null;
}

export class ExchangeSummaryDto extends PickType(ExchangeDto, [
  'sequence',
  'started_at',
  'duration_ms',
  'via',
  'method',
  'url',
  'status',
  'status_text',
  'content_type',
  'body_bytes',
  'is_cut',
  'error',
] as const) {}

class ConsoleLineDto {
  @ApiProperty({ example: 'error' })
  type!: string;
  @ApiProperty({ example: 'Failed to load resource: the server responded with a status of 403' })
  text!: string;
}

class PageSeenDto {
  @ApiProperty({ example: 'Access denied' })
  title!: string;
  @ApiProperty({ example: 'https://books.example/list?page=2' })
  url!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Screenshot as a `data:` URL; null if the page did not answer in time.',
    example: null,
  })
  picture!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Source of the page, up to 100,000 characters; null if the page did not answer in time.',
    example: '<html><head><title>Access denied</title></head><body></body></html>',
  })
  html!: string | null;
  @ApiProperty({ type: [ConsoleLineDto], description: 'The last lines of the console, at most 50.' })
  console!: ConsoleLineDto[];
}

export class RunExchangesDto {
  @ApiProperty({ type: [ExchangeSummaryDto], description: 'Oldest first.' })
  items!: ExchangeSummaryDto[];
  @ApiProperty({ type: PageSeenDto, nullable: true, description: 'The page that a browser showed last.' })
  page!: PageSeenDto | null;
}
