import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';
import { NAMED_IDS, NAMED_PARTS } from '../http/named-ids.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from '../idempotency/idempotent.js';
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

const REPLAYED = {
  [IDEMPOTENCY_REPLAYED]: {
    description:
      '`true` if an earlier call with the same `Idempotency-Key` succeeded. Nothing was done again: the body is the response to that call, or the current state of the run that it started.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/**
 * Documents the response header that marks repeated calls, for an operation with an idempotency key. Call it before
 * `shareParameters`.
 */
export function documentReplays({ parameters = [], responses }: Operation): void {
  if (!parameters.some(parameter => 'name' in parameter && parameter.name === IDEMPOTENCY_KEY)) return;
  for (const [status, response] of Object.entries(responses))
    if (Number(status) < 300) Object.assign(response as object, { headers: REPLAYED });
}

/**
 * Documents the errors of an operation: those that its decorators name, and those of the guards, interceptors and pipes
 * before its controller. Each error is documented as a reference to a response in `shared`. This function adds the
 * missing responses to `shared`.
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

/** Returns the errors of guards, interceptors and pipes, and those that any route can return. */
function codesBefore(operation: Operation, { isPublic, roles, needs, isLimited }: RouteFacts): ApiErrorCode[] {
  const parameters = (operation.parameters ?? []) as { in: string; name: string; schema?: { format?: string } }[];
  // Any call can fail with `validation_failed`: unknown query parameters are refused on every route.
  const codes: ApiErrorCode[] = ['internal_error', 'validation_failed'];
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

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const response = (codes: ApiErrorCode[], headers: object) => ({
  description: describe(codes),
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

/**
 * Returns the description of a response with these error codes. The website and the tests read the codes from it, so
 * each must be in backticks.
 */
function describe(codes: ApiErrorCode[]): string {
  const [status] = codes.map(code => STATUS_CODES[API_ERRORS[code]]);
  const listed = codes.map(code => `\`${code}\``).join(', ');
  return `${status}. The error code is ${codes.length > 1 ? 'one of: ' : ''}${listed}.`;
}

const example = (code: ApiErrorCode) => {
  const { error_message, details } = ERROR_EXAMPLES[code];
  return { error_message, error_code: code, ...(details === undefined ? {} : { details }), request_id: REQUEST_ID };
};
