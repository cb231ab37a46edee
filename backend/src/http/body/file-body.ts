import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiConsumes, ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiError } from '../../common/errors.js';
import { allowAnyBodyTime } from './body-time.js';

const TAKES_FILE = 'trawl:takes-file';
/** A file may take any time, but this much of it must arrive in each period in which the route waits for more. */
const SLOWEST = { bytes: 64 * 1024, ms: 60_000 };

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

/** Yields the body of a request. @throws {ApiError} 400 if the connection breaks, or if the file arrives too slowly. */
export async function* chunksOf(request: Request): AsyncGenerator<Buffer> {
  allowAnyBodyTime(request);
  let [bytes, ms] = [0, SLOWEST.ms];
  let timer: NodeJS.Timeout | undefined;
  let waitsSince = 0;
  const wait = () => {
    waitsSince = performance.now();
    timer = setTimeout(() => request.destroy(), ms);
  };
  try {
    wait();
    for await (const chunk of request as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      bytes += chunk.length;
      ms -= performance.now() - waitsSince;
      if (bytes >= SLOWEST.bytes) [bytes, ms] = [0, SLOWEST.ms];
      yield chunk;
      wait();
    }
  } catch {
    throw new ApiError(
      'bad_request',
      `The connection broke before the whole file had arrived, or less than ${SLOWEST.bytes} bytes arrived in a minute.`,
    );
  } finally {
    clearTimeout(timer);
  }
}
