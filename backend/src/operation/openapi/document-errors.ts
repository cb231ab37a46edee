import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';
import { NAMED_IDS, NAMED_PARTS } from '../../platform/http/names/named-ids.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from '../../platform/idempotency/idempotent.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import type { RouteFacts } from './route-facts.js';

type Paths = OpenAPIObject['paths'];
type Operation = NonNullable<Paths[string]['get']>;

const CODES = Object.keys(API_ERRORS) as ApiErrorCode[];
const REQUEST_ID = '019a2b3c-5f60-7a1b-8c2d-3e4f5a6b7c8d';

const HEADERS = {
  'X-Request-Id': {
    description: 'Id of this request in the server’s log, as in `request_id`.',
    schema: { type: 'string' },
  },
};
const LIMIT_HEADERS = {
  ...HEADERS,
  'Retry-After': {
    description: 'Number of seconds to wait before the next call.',
    schema: { type: 'integer', minimum: 0 },
  },
};

/** The shared response header that marks repeated calls. */
export const REPLAYED_HEADER = {
  IdempotencyReplayed: {
    description:
      '`true` if an earlier call with the same `Idempotency-Key` succeeded. Trawl did not repeat the call: the body is the response to that call, or the current state of the run that it started.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/**
 * Documents the response header that marks repeated calls, for an operation with an idempotency key. Call it before
 * `shareParameters`.
 */
export function documentReplays({ parameters = [], responses }: Operation): void {
  if (!parameters.some(parameter => 'name' in parameter && parameter.name === IDEMPOTENCY_KEY)) return;
  const headers = { [IDEMPOTENCY_REPLAYED]: { $ref: '#/components/headers/IdempotencyReplayed' } };
  for (const [status, response] of Object.entries(responses))
    if (Number(status) < 300) Object.assign(response as object, { headers });
}

/** Extension of an operation: its error codes, except `internal_error`, which any route can return. */
const ERROR_CODES = 'x-error-codes';

/**
 * Documents the errors of an operation: those that its decorators name, and those of the guards, interceptors and pipes
 * before its controller. The codes are in `x-error-codes`. Each status refers to its response in `errorResponses`.
 */
export function documentErrors(operation: Operation, facts: RouteFacts): void {
  const named = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, response]) => codesIn((response as { description: string }).description));
  const codes = new Set<ApiErrorCode>([...named, ...codesBefore(operation, facts)]);
  for (const status of Object.keys(operation.responses)) {
    if (Number(status) >= 400) delete operation.responses[status];
  }
  const ofOperation = CODES.filter(code => codes.has(code));
  for (const code of [...ofOperation, 'internal_error'] as const)
    operation.responses[API_ERRORS[code]] = { $ref: `#/components/responses/${nameOf(API_ERRORS[code])}` };
  Object.assign(operation, { [ERROR_CODES]: ofOperation });
}

/** Returns the responses that `documentErrors` refers to: one for each status, with an example for each code. */
export const errorResponses = (): Record<string, object> =>
  Object.fromEntries([...new Set(Object.values(API_ERRORS))].map(status => [nameOf(status), response(status)]));

/** Returns the name of the response for a status, such as `NotFound`. */
const nameOf = (status: number): string => String(STATUS_CODES[status]).replaceAll(' ', '');

const codesIn = (text: string): ApiErrorCode[] => CODES.filter(code => text.includes(`\`${code}\``));

/** Returns the errors of guards, interceptors and pipes, and those that any route can return. */
function codesBefore(operation: Operation, { isPublic, roles, needs, isLimited }: RouteFacts): ApiErrorCode[] {
  const parameters = (operation.parameters ?? []) as { in: string; name: string; schema?: { format?: string } }[];
  // Any call can fail with `validation_failed`: unknown query parameters are refused on every route.
  const codes: ApiErrorCode[] = ['validation_failed'];
  if (!isPublic) codes.push('unauthorized', 'service_unavailable', 'too_many_requests');
  if (!isPublic && (roles || needs !== 'read')) codes.push('forbidden');
  const takesNames = parameters.filter(({ name }) => name in NAMED_IDS || name in NAMED_PARTS);
  if (takesNames.some(({ schema }) => schema?.format !== 'uuid')) codes.push('not_found');
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

const response = (status: number) => ({
  description: `${STATUS_CODES[status]}.`,
  headers: status === 429 ? LIMIT_HEADERS : HEADERS,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/ErrorBody' },
      examples: Object.fromEntries(
        CODES.filter(code => API_ERRORS[code] === status).map(code => [code, { value: example(code) }]),
      ),
    },
  },
});

const example = (code: ApiErrorCode) => {
  const { error_message, details } = ERROR_EXAMPLES[code];
  return { error_message, error_code: code, ...(details === undefined ? {} : { details }), request_id: REQUEST_ID };
};
