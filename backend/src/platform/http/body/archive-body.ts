import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiConsumes, ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { type NextFunction, type Request, type Response, raw } from 'express';
import multer, { MulterError, memoryStorage } from 'multer';
import { ApiError } from '../../common/errors.js';
import { KeyedCounts } from '../../common/shares/keyed-counts.js';

const TAKES_ARCHIVE = 'trawl:takes-archive';
const ZIP = ['application/zip', 'application/x-zip-compressed', 'application/octet-stream'];
/** Limits on concurrent uploads: archives are held in memory while they are read and unpacked. */
const MAX_UPLOADS = 8;
const MAX_UPLOADS_PER_USER = 4;

/**
 * Marks a route that takes a zip file instead of JSON. The zip file is the only file of a form, or the body. Only the
 * form is documented: client generators take the first of several body types, and most send `application/zip` as JSON.
 */
export const TakesArchive = (operation: ApiOperationOptions): MethodDecorator =>
  applyDecorators(
    SetMetadata(TAKES_ARCHIVE, true),
    ApiConsumes('multipart/form-data'),
    ApiOperation({
      ...operation,
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['archive'],
              properties: { archive: { type: 'string', format: 'binary' } },
            },
          },
        },
      },
    }),
  );

export const takesArchive = (context: ExecutionContext, reflector: Reflector): boolean =>
  reflector.get<boolean | undefined>(TAKES_ARCHIVE, context.getHandler()) ?? false;

/** Injects the bytes of the archive. */
export const ArchiveBody = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Buffer => context.switchToHttp().getRequest<Request>().body as Buffer,
);

const inBody = raw({ type: () => true, limit: LIMITS.archiveBytes, inflate: false });
const inForm = multer({
  storage: memoryStorage(),
  limits: { fileSize: LIMITS.archiveBytes, files: 1, fields: 0, parts: 1, headerPairs: 20 },
}).any();

/** Reads uploaded archives, with a limit on concurrent uploads. */
export class ArchiveBodies {
  /** The uploads of each user in progress. */
  readonly #uploads = new KeyedCounts();

  /**
   * @returns a function to call when the request has ended.
   * @throws {ApiError} 413, 415, 429 when the user has too many uploads in progress, 503 when all users together have.
   */
  async read(request: Request, response: Response): Promise<() => void> {
    const isForm = Boolean(request.is('multipart/form-data'));
    if (!isForm && !request.is(ZIP)) {
      const sent = request.headers['content-type']?.slice(0, 100) ?? 'not given';
      throw new ApiError(
        'unsupported_media_type',
        `The body must be a zip file with the header \`Content-Type: application/zip\`, or a form with one file; you sent ${sent}.`,
      );
    }
    const release = this.#take((request.user as { id: string }).id);
    try {
      await run(isForm ? inForm : inBody, request, response);
      if (isForm) request.body = (request.files as Express.Multer.File[] | undefined)?.[0]?.buffer;
      if (!Buffer.isBuffer(request.body) || request.body.length === 0) {
        throw new ApiError(
          'bad_request',
          'The request has no archive. Send a zip file as the body, or as the only file of a form.',
        );
      }
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  #take(userId: string): () => void {
    const own = this.#uploads.of(userId);
    if (own >= MAX_UPLOADS_PER_USER) {
      throw new ApiError(
        'too_many_requests',
        `You have ${own} uploads in progress, which is the limit. Wait until one has finished, then try again.`,
      );
    }
    if (this.#uploads.total >= MAX_UPLOADS) {
      throw new ApiError(
        'service_unavailable',
        'Too many archives are being uploaded right now. Try again in a few seconds.',
      );
    }
    return this.#uploads.add(userId);
  }
}

type Middleware = (request: Request, response: Response, next: NextFunction) => void;

const run = (read: Middleware, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(toApiError(error)) : resolve()));
  });

function toApiError(error: unknown): unknown {
  const { type, status, code } = error as { type?: string; status?: number; code?: string };
  if (type === 'entity.too.large' || code === 'LIMIT_FILE_SIZE') {
    return new ApiError('payload_too_large', `The archive is too large: the limit is ${LIMITS.archiveBytes} bytes.`);
  }
  if (type === 'encoding.unsupported') {
    return new ApiError(
      'unsupported_media_type',
      'Compressed bodies are not supported. Send the zip file without `Content-Encoding`.',
    );
  }
  if (error instanceof MulterError) {
    return new ApiError('bad_request', 'The form must contain exactly one file, the archive, and no other fields.');
  }
  // Errors of the body parsers have a status. An error without one means that the form is truncated or malformed.
  if (status === undefined && error instanceof Error) {
    return new ApiError('bad_request', `The form is malformed: ${error.message.slice(0, 200)}.`);
  }
  return error;
}
