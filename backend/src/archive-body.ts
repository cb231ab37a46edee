import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiConsumes, ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { type NextFunction, type Request, type Response, raw } from 'express';
import multer, { MulterError, memoryStorage } from 'multer';
import { ApiError } from './common/errors.js';

const TAKES_ARCHIVE = 'trawl:takes-archive';
const ZIP = ['application/zip', 'application/x-zip-compressed', 'application/octet-stream'];
/** Archives are in memory while they are read and unpacked. */
const MAX_AT_ONCE = 8;
const MAX_OF_ONE_USER = 4;

/** The route takes a zip as its body, or as the one file of a form, in place of JSON. */
export const TakesArchive = (operation: ApiOperationOptions): MethodDecorator =>
  applyDecorators(
    SetMetadata(TAKES_ARCHIVE, true),
    ApiConsumes('application/zip', 'multipart/form-data'),
    ApiOperation({
      ...operation,
      requestBody: {
        required: true,
        content: {
          'application/zip': { schema: { type: 'string', format: 'binary' } },
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

/** The bytes of the archive. */
export const ArchiveBody = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Buffer => context.switchToHttp().getRequest<Request>().body as Buffer,
);

const inBody = raw({ type: () => true, limit: LIMITS.archiveBytes, inflate: false });
const inForm = multer({
  storage: memoryStorage(),
  limits: { fileSize: LIMITS.archiveBytes, files: 1, fields: 0, parts: 1, headerPairs: 20 },
}).any();

/** Reads archives, a few at once. */
export class ArchiveBodies {
  /** How many each user has under way. */
  readonly #underWay = new Map<string, number>();

  /**
   * @returns what is to be called when the request is over.
   * @throws {ApiError} 413, 415, 429 for one's own, 503 for everybody's.
   */
  async read(request: Request, response: Response): Promise<() => void> {
    const isForm = Boolean(request.is('multipart/form-data'));
    if (!isForm && !request.is(ZIP)) {
      const sent = request.headers['content-type']?.slice(0, 100) ?? 'not given';
      throw new ApiError(
        'unsupported_media_type',
        `The body must be a zip file, with the header Content-Type: application/zip, or a form with one file; its type is ${sent}.`,
      );
    }
    const release = this.#take((request.user as { id: string }).id);
    try {
      await run(isForm ? inForm : inBody, request, response);
      if (isForm) request.body = (request.files as Express.Multer.File[] | undefined)?.[0]?.buffer;
      if (!Buffer.isBuffer(request.body) || request.body.length === 0) {
        throw new ApiError(
          'bad_request',
          'The request has no archive: send a zip file as its body, or as the one file of a form.',
        );
      }
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  #take(userId: string): () => void {
    const own = this.#underWay.get(userId) ?? 0;
    if (own >= MAX_OF_ONE_USER) {
      throw new ApiError(
        'too_many_requests',
        `${own} of your uploads are under way. Wait until one is done, then send this one again.`,
      );
    }
    if ([...this.#underWay.values()].reduce((sum, count) => sum + count, 0) >= MAX_AT_ONCE) {
      throw new ApiError(
        'service_unavailable',
        'Many archives are being uploaded right now. Try again in a few seconds.',
      );
    }
    this.#underWay.set(userId, own + 1);
    return () => {
      const left = (this.#underWay.get(userId) ?? 1) - 1;
      if (left > 0) this.#underWay.set(userId, left);
      else this.#underWay.delete(userId);
    };
  }
}

type Middleware = (request: Request, response: Response, next: NextFunction) => void;

const run = (read: Middleware, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(inOurWords(error)) : resolve()));
  });

function inOurWords(error: unknown): unknown {
  const { type, status, code } = error as { type?: string; status?: number; code?: string };
  if (type === 'entity.too.large' || code === 'LIMIT_FILE_SIZE') {
    return new ApiError('payload_too_large', `The archive is larger than ${LIMITS.archiveBytes} bytes.`);
  }
  if (type === 'encoding.unsupported') {
    return new ApiError('unsupported_media_type', 'A zip is compressed already: send it without Content-Encoding.');
  }
  if (error instanceof MulterError) {
    return new ApiError('bad_request', 'The form must have one file, the archive, and nothing else.');
  }
  // The parsers' own errors have a status, those of a form that is cut off or is none do not.
  if (status === undefined && error instanceof Error) {
    return new ApiError('bad_request', `The form cannot be read: ${error.message.slice(0, 200)}.`);
  }
  return error;
}
