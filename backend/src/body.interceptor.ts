import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isJsonNestedDeeper, LIMITS } from '@trawl/contracts';
import { json, type Request, type Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { ArchiveBodies, takesArchive } from './archive-body.js';
import { isPublic } from './auth/auth.guard.js';
import { ApiError } from './common/errors.js';

/** The longest message and comment, each character escaped. */
const PUBLIC_BYTES = 96 * 1024;
/** A file of a skript may have a megabyte, and JSON escapes make it longer. */
const SIGNED_IN_BYTES = 3 * 1024 * 1024;

type Parser = ReturnType<typeof json>;

/**
 * Reads the bodies of requests. Only here: after the guards, so that nobody's body is read who may not call the route, who
 * has called it too often, or whose route there is not.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  readonly #reflector = new Reflector();
  readonly #archives = new ArchiveBodies();
  readonly #ofAnybody = parser(PUBLIC_BYTES);
  readonly #ofSignedIn = parser(SIGNED_IN_BYTES);

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() === 'http') {
      const http = context.switchToHttp();
      const request = http.getRequest<Request>();
      if (takesArchive(context, this.#reflector)) {
        const release = await this.#archives.read(request, http.getResponse<Response>());
        return next.handle().pipe(finalize(release));
      }
      refuseOtherTypes(request);
      const parse = isPublic(context, this.#reflector) ? this.#ofAnybody : this.#ofSignedIn;
      await read(parse, request, http.getResponse<Response>());
    }
    return next.handle();
  }
}

const parser = (limit: number): Parser =>
  json({
    limit,
    strict: false,
    // A few bytes could become megabytes.
    inflate: false,
    verify: (_request, _response, body) => {
      if (isJsonNestedDeeper(body, LIMITS.bodyLevels)) throw Object.assign(new Error(), { type: 'nesting.too.deep' });
    },
  });

/** Another kind of body would be read as none, and its fields missed one by one. */
function refuseOtherTypes(request: Request): void {
  // `false`: there is a body, of another type; null: there is none.
  if (request.is('json') !== false || request.headers['content-length'] === '0') return;
  const sent = request.headers['content-type']?.slice(0, 100) ?? 'not given';
  throw new ApiError(
    'unsupported_media_type',
    `The body must be JSON, with the header Content-Type: application/json; its type is ${sent}.`,
  );
}

const read = (parse: Parser, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    parse(request, response, (error?: unknown) => (error ? reject(inOurWords(error)) : resolve()));
  });

function inOurWords(error: unknown): unknown {
  const { type, limit } = error as { type?: string; limit?: number };
  switch (type) {
    case 'entity.too.large':
      return new ApiError('payload_too_large', `The body is larger than the ${limit} bytes that this route takes.`);
    case 'entity.parse.failed':
      return new ApiError('invalid_json', 'Body string is not valid JSON');
    case 'encoding.unsupported':
      return new ApiError(
        'unsupported_media_type',
        'The body must not be compressed: send it without Content-Encoding.',
      );
    case 'nesting.too.deep':
      return new ApiError('bad_request', `A value in the body is nested more than ${LIMITS.bodyLevels} levels deep.`);
    default:
      return error;
  }
}
