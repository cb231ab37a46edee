import type { Response } from 'express';
import { fileGone } from './exports.service.js';

const RANGE_NOT_SATISFIABLE = 416;

/** An error of Express while it sends a file. */
interface SendError {
  code?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** Sends a file of an export. Express answers HEAD, `Range` and conditional requests. @throws {ApiError} 404. */
export function sendFile(
  response: Response,
  id: string,
  { path, name, contentType }: { path: string; name: string; contentType: string },
): Promise<void> {
  response.attachment(name).setHeader('Content-Type', contentType);
  return new Promise((resolve, reject) => {
    response.sendFile(path, { dotfiles: 'allow', lastModified: true }, error => {
      const { code, status, headers } = (error ?? {}) as SendError;
      if (status === RANGE_NOT_SATISFIABLE && !response.headersSent) response.status(status).set(headers).end();
      if (!error || response.headersSent) resolve();
      else reject(code === 'ENOENT' ? fileGone(id) : error);
    });
  });
}
