import { toApiError, unreachable } from '../../../api/api-error.js';
import type { Import } from '../../../api/entities.js';
import { readSession } from '../../../session/session-cookies.js';
import { endSession } from '../../../session/session-end.js';

interface UploadOptions {
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/**
 * Uploads a file to import. Uses XMLHttpRequest, because `fetch` does not tell how much of a body is sent.
 * @throws {ApiError} if the upload failed. A cancelled upload throws the signal's reason.
 */
export function uploadFile(file: File, { onProgress, signal }: UploadOptions): Promise<Import> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/joint-api/imports/upload?${new URLSearchParams({ file_name: file.name })}`);
    request.setRequestHeader('Authorization', `Bearer ${readSession(document.cookie)?.token ?? ''}`);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      if (request.status === 201) return resolve(request.response as Import);
      if (request.status === 401) endSession();
      reject(toApiError(request.response, request.status));
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
