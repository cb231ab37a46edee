import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isJsonNestedDeeper, LIMITS } from '@trawl/contracts';
import { json, type Request, type Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { ApiError } from '../../common/errors.js';
import { ArchiveBodies, takesArchive } from './archive-body.js';
import { assertFile, takesFile } from './file-body.js';

/**
 * Size limit for bodies of calls without a token: enough for the longest contact message, even if JSON escapes each
 * character.
 */
const ANONYMOUS_BYTES = 96 * 1024;
/**
 * Size limit for bodies of signed-in users: enough for a skript file of one megabyte, which is longer as JSON because
 * of escaped characters.
 */
const SIGNED_IN_BYTES = 3 * 1024 * 1024;

type Parser = ReturnType<typeof json>;

/**
 * Reads request bodies. It runs after routing and guards, so that no body is read for unknown routes, missing
 * permissions or rate-limited clients.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  readonly #archives = new ArchiveBodies();
  readonly #parseAnonymous = parser(ANONYMOUS_BYTES);
  readonly #parseSignedIn = parser(SIGNED_IN_BYTES);

  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (takesArchive(context, this.reflector)) {
      return this.#archives.read(request, response).then(release => next.handle().pipe(finalize(release)));
    }
    if (takesFile(context, this.reflector)) {
      assertFile(request);
      // The route reads the file. A call with the same idempotency key must announce a file of the same size.
      request.body = { bytes: request.headers['content-length'] ?? null };
      return next.handle();
    }
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (length === undefined && encoding === undefined) return next.handle();
    assertJson(request);
    // `BearerGuard` has set the user, except on public routes.
    const parse = request.user ? this.#parseSignedIn : this.#parseAnonymous;
    return read(parse, request, response).then(() => next.handle());
  }
}

const parser = (limit: number): Parser =>
  json({
    limit,
    strict: false,
    // Compressed bodies are refused, because a few bytes could become megabytes.
    inflate: false,
    verify: (_request, _response, body) => {
      if (isJsonNestedDeeper(body, LIMITS.bodyDepth)) throw Object.assign(new Error(), { type: 'nesting.too.deep' });
    },
  });

/** Refuses a body that is not JSON. Express would ignore it, and validation would then report all fields as missing. */
function assertJson(request: Request): void {
  // `false`: the body has another type; null: the request has no body.
  if (request.is('json') !== false || request.headers['content-length'] === '0') return;
  const sent = request.headers['content-type']?.slice(0, 100) ?? 'not given';
  throw new ApiError(
    'unsupported_media_type',
    `The body must be JSON with the header \`Content-Type: application/json\`; you sent ${sent}.`,
  );
}

const read = (parse: Parser, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    parse(request, response, (error?: unknown) => (error ? reject(toApiError(error)) : resolve()));
  });

function toApiError(error: unknown): unknown {
  const { type, limit } = error as { type?: string; limit?: number };
  switch (type) {
    case 'entity.too.large':
      return new ApiError('payload_too_large', `The body is too large: the limit of this route is ${limit} bytes.`);
    case 'entity.parse.failed':
      return new ApiError('invalid_json', 'Body string is not valid JSON');
    case 'encoding.unsupported':
      return new ApiError(
        'unsupported_media_type',
        'Compressed bodies are not supported. Send the body without `Content-Encoding`.',
      );
    case 'nesting.too.deep':
      return new ApiError('bad_request', `The body is nested too deeply: the limit is ${LIMITS.bodyDepth} levels.`);
    default:
      return error;
  }
}
