interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}

const BY_FORMAT: Record<string, string> = {
  uuid: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  'date-time': '2026-02-15T09:30:00.000Z',
};

/** Default examples by field name, for fields whose decorator has none. */
const BY_NAME: Record<string, unknown> = {
  after: 'WyIyMDI2LTAyLTE1Il0',
  attempt: 1,
  bundle_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  category: 'general',
  column: 7,
  comment: 'We would like to start in March.',
  company_location: 'Zagreb, Croatia',
  company_vat: 'HR12345678901',
  contains: 'page 3',
  content: 'module.exports = async ({ url }) => (await fetch(url)).status;',
  description: 'Reads a shop’s catalogue page by page.',
  error_stack: null,
  expire_after_s: 86_400,
  fax_number: '',
  file: 'main.js',
  free_slots: 3,
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  howto: 'Pass the URL of the shop as `url`.',
  ip: '203.0.113.7',
  job_name: 'prices',
  jwtToken: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
  last_seq: 12,
  limit: 50,
  line: 3,
  line_text: 'const of of rows',
  lock: null,
  matching: 1,
  message: 'Expected ";" but found "of"',
  msg: 'We sell garden tools in four countries and want the prices of six competitors every morning before eight, as one CSV. Which of it can you do?',
  name: 'main',
  name_contains: 'input',
  next: 'WyIyMDI2LTAyLTE1Il0',
  next_after_seq: null,
  next_before_seq: null,
  password: 'correct horse battery staple',
  referer: 'https://www.example.com/contact',
  request_id: '019a2b3c-5f60-7a1b-8c2d-3e4f5a6b7c8d',
  responseTime: 4,
  retries: 2,
  retry_delay_ms: 5_000,
  rows: 240,
  seq: 12,
  size: 812,
  skip: 0,
  slots: 4,
  target_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  thumbnail: 'https://www.example.com/books.png',
  time: '2026-02-15T09:30:00.000Z',
  title_contains: 'books',
  token: '3q2-7wTnE6pYxkq0nJ8zFQ',
  total: 1,
};

/** Adds an example to each field of the schema that has none. */
export function withExamples(schema: Schema): Schema {
  const { properties, additionalProperties: more, items } = schema;
  return {
    ...schema,
    ...(items ? { items: withExamples(items) } : {}),
    ...(typeof more === 'object' ? { additionalProperties: withExamples(more) } : {}),
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(fieldWithExample)) } : {}),
  };
}

function fieldWithExample([name, field]: [string, Schema]): [string, Schema] {
  const example = field.example === undefined ? exampleOf(name, field) : undefined;
  return [name, { ...withExamples(field), ...(example === undefined ? {} : { example }) }];
}

/** Adds an example to the parameter if it has none. */
export const parameterWithExample = <T extends { name: string; schema?: Schema; example?: unknown }>(
  parameter: T,
): T =>
  parameter.example === undefined && parameter.schema?.example === undefined
    ? { ...parameter, example: exampleOf(parameter.name, parameter.schema ?? {}) }
    : parameter;

function exampleOf(name: string, { type, format, enum: values, default: byDefault }: Schema): unknown {
  if (type === undefined || type === 'object' || type === 'array') return undefined;
  if (byDefault !== undefined) return byDefault;
  if (values) return values[0];
  return BY_FORMAT[format ?? ''] ?? BY_NAME[name] ?? (name in BY_NAME ? null : type === 'boolean' ? true : undefined);
}
