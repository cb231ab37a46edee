import { hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { ApiError } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { withoutExporter } from './exporters.repository.js';

/** What an exporter exports the next time. */
export interface Found {
  /** The ids of the new documents, some at a time, as BSON. Each call starts again. */
  ids: () => AsyncIterable<Uint8Array[]>;
  /** The file that counts when the export is done. */
  file: string;
}

interface Before {
  ids: string | null;
  until: string | null;
}

/** Number of bytes of a digest. Two ids have the same one with a probability that can be neglected. */
const DIGEST_BYTES = 16;
const NEW = '.new';
const OLD_MS = 24 * 60 * 60 * 1_000;
const SWEEP_FILES = 1_000;
/** The number of digests in memory at once: 85 MB. An exporter with more documents reads their ids several times. */
const MAX_DIGESTS = 1_000_000;
const IDS_AT_ONCE = 1_000;
const OBJECT_ID = 0x07;
/** Where the value of `_id` begins in BSON that has only this field. */
const ID_AT = 9;

/**
 * Knows which documents an exporter has exported, by a digest of each `_id`. Times would not do: an `_id` may be made
 * long before its document is stored, on a computer whose clock is wrong.
 *
 * Each export writes a new file, and the transaction that marks the export as done makes it the exporter's file. So a
 * killed or failed export counts for nothing.
 * See docs/decisions/0465-exporters-remember-ids.md.
 */
@Injectable()
export class ExportedIds implements OnModuleInit, OnApplicationBootstrap {
  readonly #folder: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) config: Pick<Config, 'dataDir'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#folder = join(config.dataDir, 'exports', 'exported-ids');
  }

  onModuleInit(): void {
    this.cleanups.add('ids of exporters', 'hourly', () => this.sweep(), { ofFiles: true });
  }

  async onApplicationBootstrap(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Finds the documents that are not in the exporter's file.
   * @param file the name of the new file: the exporter's id, a dot, then whatever makes it unique.
   * @param scan reads the ids of all documents, each once, as BSON. Each call starts again.
   * @throws {ApiError} 503 if the disk is full, and the errors of `scan`.
   */
  async find(
    file: string,
    before: Before,
    scan: () => AsyncIterable<Uint8Array[]>,
    maxDigests = MAX_DIGESTS,
  ): Promise<Found> {
    await this.#removeOthers(file, before.ids);
    const path = join(this.#folder, file);
    const known = await this.#copy(before.ids, path);
    const isInTime = known === null ? olderThan(before.until) : () => false;
    const all = await open(path, 'a', 0o600);
    const fresh = await open(path + NEW, 'w', 0o600);
    try {
      const parts = Math.max(1, Math.ceil((known ?? 0) / maxDigests));
      for (let part = 0; part < parts; part += 1) {
        const isOfPart = (digest: Buffer) => (digest[0] as number) % parts === part;
        const exported = await digestsIn(path, known ?? 0, isOfPart);
        for await (const batch of scan()) {
          const missing = batch
            .map(id => [id, digestOf(id)] as const)
            .filter(([, d]) => isOfPart(d) && !exported.has(keyOf(d)));
          await append(
            all,
            missing.map(([, digest]) => digest),
          );
          await append(
            fresh,
            missing.map(([id]) => id).filter(id => !isInTime(id)),
          );
        }
      }
      await all.datasync();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      throw new ApiError('service_unavailable', 'The server’s disk is full. Ask the operator for more space.');
    } finally {
      await Promise.all([all.close(), fresh.close()]);
    }
    return { ids: () => idsIn(path + NEW), file };
  }

  /** Copies the exporter's file. @returns its number of digests; null if there is no such file. */
  async #copy(from: string | null, to: string): Promise<number | null> {
    if (from === null) return null;
    try {
      await copyFile(join(this.#folder, from), to, constants.COPYFILE_FICLONE);
      return Math.floor((await stat(to)).size / DIGEST_BYTES);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.logger.warn({ file: from }, 'the ids that an exporter has exported are gone; it goes by the time in ids');
      return null;
    }
  }

  /** Removes what earlier exports of the exporter left. Only one export of an exporter runs at a time. */
  async #removeOthers(file: string, kept: string | null): Promise<void> {
    const prefix = file.slice(0, file.indexOf('.') + 1);
    const names = await readdir(this.#folder);
    for (const name of names) {
      if (name.startsWith(prefix) && name !== kept) await rm(join(this.#folder, name), { force: true });
    }
  }

  /** Removes the files of deleted exporters. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#folder);
    for (let start = 0; start < names.length; start += SWEEP_FILES) {
      for (const name of await withoutExporter(this.dataSource, names.slice(start, start + SWEEP_FILES))) {
        const path = join(this.#folder, name);
        const { mtimeMs = Date.now() } = (await stat(path).catch(() => null)) ?? {};
        if (Date.now() - mtimeMs > OLD_MS) await rm(path, { force: true });
      }
    }
  }
}

const digestOf = (id: Uint8Array): Buffer => hash('sha256', id, 'buffer').subarray(0, DIGEST_BYTES);

const append = async (file: FileHandle, pieces: Uint8Array[]): Promise<void> => {
  if (pieces.length > 0) await file.appendFile(Buffer.concat(pieces));
};

/** Loads digests of a file. */
async function digestsIn(path: string, count: number, isOfPart: (digest: Buffer) => boolean): Promise<Set<string>> {
  const digests = new Set<string>();
  for await (const piece of wholePieces(path, count * DIGEST_BYTES, () => DIGEST_BYTES)) {
    if (isOfPart(piece)) digests.add(keyOf(piece));
  }
  return digests;
}

/** A text of one byte a character is the smallest value that a set can compare. */
const keyOf = (digest: Buffer): string => digest.toString('latin1');

async function* idsIn(path: string): AsyncGenerator<Uint8Array[]> {
  let ids: Uint8Array[] = [];
  const lengthOf = (bytes: Buffer) => (bytes.length < 4 ? 4 : bytes.readInt32LE());
  for await (const id of wholePieces(path, Number.POSITIVE_INFINITY, lengthOf)) {
    ids.push(id);
    if (ids.length < IDS_AT_ONCE) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
}

/** Reads a file whose bytes are pieces, one after the other. */
async function* wholePieces(path: string, bytes: number, lengthOf: (rest: Buffer) => number): AsyncGenerator<Buffer> {
  if (bytes === 0) return;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { end: bytes - 1 })) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let at = 0;
    for (let length = lengthOf(rest); rest.length - at >= Math.max(length, 4); length = lengthOf(rest.subarray(at))) {
      yield rest.subarray(at, at + length);
      at += length;
    }
    rest = rest.subarray(at);
  }
}

/** Returns whether the ObjectId of a document was made before a time. */
function olderThan(until: string | null): (id: Uint8Array) => boolean {
  if (until === null) return () => false;
  const seconds = Math.floor(Date.parse(until) / 1_000);
  return id => id[4] === OBJECT_ID && Buffer.from(id).readUInt32BE(ID_AT) < seconds;
}
