import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FolderInUseError, type FolderLock, lockFolder } from '@trawl/folder-lock';
import { Binary, calculateObjectSize, EJSON, ObjectId, serialize, setInternalBufferSize } from 'bson';
import { decode, decodeDocuments, encode, joinDocuments } from '../protocol/bson-documents.js';
import type { Document } from '../protocol/document.js';
import { StorageError } from '../protocol/storage-error.js';
import type { StoragePort, StorageRequest } from '../protocol/storage-request.js';
import { CollectionFile, type CollectionLines, MemoryLines } from './collection-file.js';
import { LocalCollection } from './local-collection.js';
import { LocalQueue } from './local-queue.js';
import { LocalSessions, type SessionPlace, sessionsIn } from './local-sessions.js';
import { perform } from './operations.js';
import { rejected } from './values.js';

const MAX_NAME_CHARS = 120;
/** File systems allow names of 255 bytes. */
const MAX_FILE_NAME_CHARS = 240;

/** Where a storage keeps its collections: files in a folder, or memory. */
interface Place {
  folder: string;
  sessions: SessionPlace;
  linesOf(path: string): CollectionLines;
  /** Lets other processes use the folder. */
  release(): void;
}

function folderPlace(folder: string): Place {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockOf(folder);
  const sessions = sessionsIn(join(folder, 'sessions'));
  return { folder, sessions, linesOf: path => new CollectionFile(path), release: () => lock.release() };
}

/** Keeps the lines of a collection that an error has closed, as a file does. */
function memoryPlace(): Place {
  const lines = new Map<string, MemoryLines>();
  const linesOf = (path: string) => {
    const found = lines.get(path) ?? new MemoryLines();
    lines.set(path, found);
    return found;
  };
  return { folder: '', sessions: new Map(), linesOf, release: () => {} };
}

function lockOf(folder: string): FolderLock {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    const who = error.pid ? `process ${error.pid}` : 'another process';
    throw new StorageError(
      'storage_unavailable',
      `The folder ${folder} is in use by ${who}. Wait until that one ends, or set TRAWL_STORAGE_DIR to another folder.`,
    );
  }
}

/** Answers storage calls from lines of JSON. See docs/decisions/0096-libraries-are-commonjs.md. */
class LocalStorage {
  readonly #collections = new Map<string, LocalCollection>();
  readonly #queues = new Map<string, LocalQueue>();
  /** All local runs have the same id. This one tells the rows of this run from those of earlier ones. */
  readonly #run = randomUUID();

  readonly #sessions: LocalSessions;

  constructor(private readonly place: Place) {
    this.#sessions = new LocalSessions(place.sessions);
  }

  answer({ db, collection: name, method, args }: StorageRequest): object {
    if (method.startsWith('queue')) return this.#answerQueue(name, method, args);
    if (method.endsWith('Session')) return this.#sessions.answer(name, method, decode(args));
    const path = join(
      this.place.folder,
      ...(db === undefined ? [] : [`db-${fileName(db)}`]),
      `${fileName(name)}.jsonl`,
    );
    const collection = this.#open(path);
    try {
      const collectionOf = (other: string) => this.#open(join(path, '..', `${fileName(other)}.jsonl`)).documents;
      const result = perform(collection, method, extendedJson(args), { collectionOf, run: this.#run });
      collection.save();
      return result;
    } catch (error) {
      if (collection.isChanged) {
        // The file has nothing of this operation. Read it again at the next one.
        this.#collections.delete(path);
        collection.close();
      }
      throw error;
    }
  }

  #answerQueue(name: string, method: string, args: Uint8Array): object {
    const lines = () => this.place.linesOf(join(this.place.folder, 'queues', `${name}.jsonl`));
    const queue = this.#queues.get(name) ?? new LocalQueue(lines());
    this.#queues.set(name, queue);
    try {
      if (method === 'queueDrop') {
        queue.close();
        this.#queues.delete(name);
        if (!queue.isEmpty) lines().replace([]);
        return {};
      }
      return queue.answer(method, decode(args));
    } catch (error) {
      // Read the file again at the next call.
      this.#queues.delete(name);
      queue.close();
      throw error;
    }
  }

  close(): void {
    for (const open of [...this.#collections.values(), ...this.#queues.values()]) open.close();
    this.place.release();
  }

  #open(path: string): LocalCollection {
    const open = this.#collections.get(path);
    if (open) return open;
    const twin = [...this.#collections.keys()].find(other => other.toLowerCase() === path.toLowerCase());
    if (twin) {
      // On many file systems both would be the same file.
      throw rejected(`Local files do not support names that differ only in case: ${twin} and ${path}.`);
    }
    const collection = new LocalCollection(this.place.linesOf(path));
    this.#collections.set(path, collection);
    return collection;
  }
}

/** A port that keeps documents in files or in memory. */
export interface LocalPort {
  /** Answers storage calls. Never rejects. */
  port: StoragePort;
  /** Lets other processes use the folder, or forgets what is in memory. A later call opens it again. */
  close(): void;
}

/** Keeps documents in the files of a folder, which is created and locked by the first call. */
export const localPortIn = (folder: string): LocalPort => portIn(() => folderPlace(folder));

/** Keeps documents in the memory of this process. */
export const memoryPort = (): LocalPort => portIn(memoryPlace);

/** Returns the documents of a collection as plain JSON, in which dates and ids are text. */
export async function documentsOf({ port }: LocalPort, collection: string): Promise<Record<string, unknown>[]> {
  const answer = await port({ collection, method: 'find', args: serialize({ filter: {} }) });
  if ('error' in answer) throw new Error(answer.error.message);
  const { docs } = decode(answer.result);
  return docs instanceof Binary ? JSON.parse(JSON.stringify(decodeDocuments(docs))) : [];
}

/** Returns the arguments of a call, with `docs` as an array. */
export function argumentsOf({ args }: Pick<StorageRequest, 'args'>): Document & { docs?: Document[] } {
  const { docs, ...others } = decode(args);
  return docs instanceof Binary ? { ...others, docs: decodeDocuments(docs) } : others;
}

/**
 * Returns a document or row as plain JSON. An `_id` that the library has made is left out, because it differs between any
 * two runs. An own one is JSON in `_key`.
 */
export function insertedRow({ _id: id, ...row }: Document): Record<string, unknown> {
  const hasOwnId = id !== undefined && !(id instanceof ObjectId);
  return JSON.parse(JSON.stringify({ ...row, ...(hasOwnId && { _key: JSON.stringify(id) }) }));
}

function portIn(open: () => Place): LocalPort {
  let storage: LocalStorage | undefined;
  return {
    port: async request => {
      try {
        storage ??= new LocalStorage(open());
        return { result: encodeAnswer(storage.answer(request)) };
      } catch (error) {
        return { error: failureOf(error) };
      }
    },
    close: () => {
      storage?.close();
      storage = undefined;
    },
  };
}

/** Decodes the arguments of a call to JSON of Extended JSON. */
function extendedJson(args: Uint8Array): Document {
  return EJSON.serialize(argumentsOf({ args }), { relaxed: false });
}

function encodeAnswer(answer: object): Uint8Array {
  const { docs } = answer as { docs?: object[] };
  const value = docs
    ? { ...answer, docs: joinDocuments(docs.map(document => encode(document, 'A document'))) }
    : answer;
  // The answer has all documents that match, however many there are.
  setInternalBufferSize(calculateObjectSize(value, { ignoreUndefined: false }));
  return serialize(value, { ignoreUndefined: false });
}

/** An error with a code is one of the file system. The others are about the call, and come from mingo. */
function failureOf(error: unknown): { code: string; message: string; inserted_count?: number } {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof StorageError) {
    const { insertedCount } = error;
    return { code: error.code, message, ...(insertedCount && { inserted_count: insertedCount }) };
  }
  return { code: code ? 'storage_unavailable' : 'storage_rejected', message };
}

const DEFAULT_FOLDER = resolve('.trawl', 'storage');
let current: (LocalPort & { folder: string }) | undefined;

/** Answers storage calls from `.trawl/storage` in the current folder, or from the folder in TRAWL_STORAGE_DIR. Never rejects. */
export const localPort: StoragePort = request => {
  const folder = resolve(process.env.TRAWL_STORAGE_DIR || DEFAULT_FOLDER);
  if (current?.folder !== folder) {
    current?.close();
    current = { folder, ...localPortIn(folder) };
  }
  return current.port(request);
};

function fileName(name: string): string {
  const isValid = /^(?!system\.|\.)[^$\0]+(?<!\.)$/s.test(name) && name.length <= MAX_NAME_CHARS;
  const encoded = isValid ? encodeURIComponent(name).replaceAll('*', '%2A') : '';
  if (isValid && encoded.length <= MAX_FILE_NAME_CHARS) return encoded;
  throw rejected(
    `Local files do not support the name ${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}: expected at most ${MAX_NAME_CHARS} characters, ${MAX_FILE_NAME_CHARS} when encoded for a URL, no $, and no dot at the begin or end.`,
  );
}
