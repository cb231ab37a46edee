import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiConsumes, ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiError } from '../../common/errors.js';
import { allowAnyBodyTime } from './body-time.js';

const TAKES_FILE = 'trawl:takes-file';
/** A file may take any time, but this much of it must arrive in each period in which the route waits for more. */
const SLOWEST = { bytes: 64 * 1024, ms: 60_000 };
/** Time in which a client can receive the error after which its body is no longer read. */
const LAST_ANSWER_MS = 10_000;

/** Marks a route whose body is a file of any type, which the route reads as a stream. */
export const TakesFile = (operation: ApiOperationOptions): MethodDecorator =>
  applyDecorators(
    SetMetadata(TAKES_FILE, true),
    ApiConsumes('application/octet-stream'),
    ApiOperation({
      ...operation,
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
  );

export const takesFile = (context: ExecutionContext, reflector: Reflector): boolean =>
  reflector.get<boolean | undefined>(TAKES_FILE, context.getHandler()) ?? false;

/** A file that is being uploaded. */
export interface UploadedFile {
  chunks: AsyncIterable<Buffer>;
  /** The size that the client has announced. */
  announcedBytes: number | undefined;
}

/** Injects the file. */
export const FileBody = createParamDecorator((_data: unknown, context: ExecutionContext): UploadedFile => {
  const request = context.switchToHttp().getRequest<Request>();
  const length = request.headers['content-length'];
  return { chunks: chunksOf(request), announcedBytes: length === undefined ? undefined : Number(length) };
});

/** @throws {ApiError} 415 for a form or a compressed body. */
export function assertFile(request: Request): void {
  if (request.is('multipart/form-data')) {
    throw new ApiError('unsupported_media_type', 'Send the file itself as the body, not a form.');
  }
  if (request.headers['content-encoding'] !== undefined) {
    throw new ApiError(
      'unsupported_media_type',
      'Compressed bodies are not supported. Send the file without `Content-Encoding`.',
    );
  }
}

/**
 * Yields the body of a request. If the route stops reading, the client has some seconds to receive the error.
 * @throws {ApiError} 400 if the connection breaks, or if the file arrives too slowly.
 */
export async function* chunksOf(request: Request): AsyncGenerator<Buffer> {
  allowAnyBodyTime(request);
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  let [bytes, ms] = [0, SLOWEST.ms];
  let isRead = false;
  try {
    while (true) {
      const waitsSince = performance.now();
      const { done, value } = await within(ms, chunks.next());
      isRead = done === true;
      if (isRead) return;
      bytes += value.length;
      ms -= performance.now() - waitsSince;
      if (bytes >= SLOWEST.bytes) [bytes, ms] = [0, SLOWEST.ms];
      yield value;
    }
  } finally {
    if (!isRead) cutSoon(request, chunks);
  }
}

/** Waits for the next chunk. @throws {ApiError} 400. */
async function within<T>(ms: number, next: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_, reject) => {
    const error = new ApiError(
      'bad_request',
      `The file arrives too slowly: less than ${SLOWEST.bytes} bytes came in ${SLOWEST.ms / 1_000} s. Use a faster connection, or send a smaller file.`,
    );
    timer = setTimeout(() => reject(error), ms);
  });
  const broken = () => {
    throw new ApiError('bad_request', 'The connection broke before the whole file had arrived. Send it again.');
  };
  try {
    return await Promise.race([next.catch(broken), tooSlow]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends the connection of a body that the route no longer reads. Without the delay, the client would see a broken connection and no error. */
function cutSoon(request: Request, chunks: AsyncIterableIterator<Buffer>): void {
  void chunks.return?.().catch(() => undefined);
  const timer = setTimeout(() => request.destroy(), LAST_ANSWER_MS);
  request.once('close', () => clearTimeout(timer));
}
