import type { OpenAPIObject } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from '../idempotency/idempotent.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import type { RouteFacts } from './route-facts.js';

type Paths = OpenAPIObject['paths'];
type Operation = NonNullable<Paths[string]['get']>;

const CODES = Object.keys(API_ERRORS) as ApiErrorCode[];
const REQUEST_ID = '019a2b3c-5f60-7a1b-8c2d-3e4f5a6b7c8d';

const HEADERS = {
  'X-Request-Id': { description: 'Names this request in the log, as `request_id` does.', schema: { type: 'string' } },
};
const LIMIT_HEADERS = {
  ...HEADERS,
  'Retry-After': { description: 'For how many seconds to wait.', schema: { type: 'integer', minimum: 0 } },
};

const REPLAYED = {
  [IDEMPOTENCY_REPLAYED]: {
    description:
      'Only there, with `true`, when an earlier call with the same `Idempotency-Key` did it: this is its answer, or its run as it is now.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** What the good answers of an operation say that can be repeated with a key. Before parameters are shared. */
export function documentReplays({ parameters = [], responses }: Operation): void {
  if (!parameters.some(parameter => 'name' in parameter && parameter.name === IDEMPOTENCY_KEY)) return;
  for (const [status, response] of Object.entries(responses))
    if (Number(status) < 300) Object.assign(response as object, { headers: REPLAYED });
}

/**
 * The error answers of an operation: those that its decorators name, and those that whatever stands before its controller
 * may give. Each is a reference to one that all operations share; `shared` collects these.
 */
export function documentErrors(operation: Operation, facts: RouteFacts, shared: Record<string, object>): void {
  const named = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, response]) => codesIn((response as { description: string }).description));
  const codes = new Set<ApiErrorCode>([...named, ...codesBefore(operation, facts)]);
  for (const status of Object.keys(operation.responses)) {
    if (Number(status) >= 400) delete operation.responses[status];
  }
  const statuses = [...new Set(CODES.filter(code => codes.has(code)).map(code => API_ERRORS[code]))];
  for (const status of statuses.sort()) {
    const ofStatus = CODES.filter(code => codes.has(code) && API_ERRORS[code] === status);
    const name = ofStatus.map(pascalCase).join('Or');
    shared[name] = response(ofStatus, status === 429 ? LIMIT_HEADERS : HEADERS);
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

const codesIn = (text: string): ApiErrorCode[] => CODES.filter(code => text.includes(`\`${code}\``));

/** What guards, body and pipes answer before a controller is asked, and what any route answers when all fails. */
function codesBefore(operation: Operation, { isPublic, roles, needs, isLimited }: RouteFacts): ApiErrorCode[] {
  const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
  // Every call may have a query that its route does not take.
  const codes: ApiErrorCode[] = ['internal_error', 'validation_failed'];
  if (!isPublic) codes.push('unauthorized', 'service_unavailable');
  if (!isPublic && (roles || needs !== 'read')) codes.push('forbidden');
  if (isLimited) codes.push('too_many_requests', 'service_unavailable');
  if (parameters.some(parameter => parameter.in === 'path')) codes.push('bad_request');
  if (operation.requestBody) {
    codes.push('bad_request', 'payload_too_large', 'unsupported_media_type');
    const { content } = operation.requestBody as { content: Record<string, unknown> };
    if (content['application/json']) codes.push('invalid_json');
  }
  if (parameters.some(({ name }) => name === IDEMPOTENCY_KEY))
    codes.push('conflict', 'idempotency_key_reused', 'quota_exceeded');
  return codes;
}

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const response = (codes: ApiErrorCode[], headers: object) => ({
  description: codes.map(code => `\`${code}\``).join(', '),
  headers,
  content: {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/ErrorBody' },
          { type: 'object', properties: { error_code: { type: 'string', enum: codes, example: codes[0] } } },
        ],
      },
      examples: Object.fromEntries(codes.map(code => [code, { value: example(code) }])),
    },
  },
});

const example = (code: ApiErrorCode) => {
  const { error_message, details } = ERROR_EXAMPLES[code];
  return { error_message, error_code: code, ...(details === undefined ? {} : { details }), request_id: REQUEST_ID };
};
