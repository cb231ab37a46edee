import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiConsumes, ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiError } from '../common/errors.js';

const TAKES_FILE = 'trawl:takes-file';

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

async function* chunksOf(request: Request): AsyncGenerator<Buffer> {
  try {
    yield* request;
  } catch {
    throw new ApiError('bad_request', 'The connection broke before the whole file had arrived.');
  }
}
