import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PlatformFiles } from './platform-files.js';

/**
 * How long the upload or the download of a record may take in all. A worker does not restart meanwhile, although a run
 * may have ended.
 */
const TRANSFER_MS = 300_000;

/** Keeps the records of runs on the platform. */
export class PlatformRecords {
  readonly #files: PlatformFiles;

  constructor(
    files: PlatformFiles,
    private readonly transferMs = TRANSFER_MS,
  ) {
    this.#files = files;
  }

  async save(
    id: string,
    path: string | null,
    { exchanges, problem }: { exchanges: number; problem: string | null },
  ): Promise<void> {
    const size = path === null ? 0 : (await stat(path)).size;
    const query = new URLSearchParams({ exchanges: String(exchanges), ...(problem !== null && { problem }) });
    const begin = () => ({
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
      body: path === null ? '' : (Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>),
      duplex: 'half' as const,
    });
    const never = new AbortController().signal;
    const answer = await this.#files.request(`records/${id}?${query}`, begin, never, this.transferMs);
    await answer.body?.cancel();
  }

  async load(id: string, path: string, signal: AbortSignal): Promise<void> {
    const { body } = await this.#files.request(`records/${id}`, () => ({}), signal, this.transferMs);
    await pipeline(Readable.fromWeb(body as never), createWriteStream(path, { mode: 0o600 }), { signal });
  }
}
