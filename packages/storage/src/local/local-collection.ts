import type { Document } from '../protocol/document.js';
import type { CollectionLines } from './collection-file.js';
import { type IndexSpec, UniqueIndex } from './unique-index.js';
import { rejected, textOf, toDocument } from './values.js';

/** Superseded lines beyond which the file is written anew, if they are also more than the documents. */
const MANY_SUPERSEDED = 1000;

/**
 * The documents of a collection in memory, and their file. Each line of the file is a document, `{ $deleted: _id }` or
 * `{ $index: … }`. A later line for the same `_id` replaces the earlier one.
 */
export class LocalCollection {
  readonly #file: CollectionLines;
  readonly #documents = new Map<string, Document>();
  readonly #indexes: IndexSpec[] = [];
  readonly #unique = new Map<string, UniqueIndex>([['_id_', new UniqueIndex('_id_', { _id: 1 })]]);
  /** Lines of the current operation that are not in the file yet. */
  #lines: string[] = [];
  #superseded = 0;

  /** @throws {StorageError} if the file cannot be read */
  constructor(file: CollectionLines) {
    this.#file = file;
    for (const value of this.#file.read()) this.#load(value as Document);
    if (this.#superseded > 0) this.#compact();
  }

  /** Whether there are changes that `save` has not written yet. */
  get isChanged(): boolean {
    return this.#lines.length > 0;
  }

  get documents(): Document[] {
    return [...this.#documents.values()];
  }

  /** Returns the documents that a filter can match, found by `_id` or a unique index if possible. */
  candidates(filter: Document): Document[] {
    for (const index of this.#unique.values()) {
      const id = index.find(filter);
      if (id === undefined) continue;
      const document = id === null ? undefined : this.#documents.get(id);
      return document ? [document] : [];
    }
    return this.documents;
  }

  /** Adds a document, or replaces `current`. @throws {StorageError} `storage_duplicate_key` */
  put(document: Document, current?: Document): void {
    const id = textOf([document._id]);
    if (Array.isArray(document._id)) throw rejected('The field _id cannot be an array.');
    for (const index of this.#unique.values()) index.check(current ? id : null, document);
    if (current) for (const index of this.#unique.values()) index.remove(current);
    for (const index of this.#unique.values()) index.add(id, document);
    this.#documents.set(id, document);
    this.#lines.push(textOf(document));
    if (current) this.#superseded++;
  }

  delete(document: Document): void {
    for (const index of this.#unique.values()) index.remove(document);
    this.#documents.delete(textOf([document._id]));
    this.#lines.push(textOf({ $deleted: document._id }));
    this.#superseded += 2;
  }

  /** Adds an index unless it exists. */
  createIndex(spec: IndexSpec): void {
    const same = this.#indexes.find(({ name, keys }) => name === spec.name || textOf(keys) === textOf(spec.keys));
    if (same && textOf(same) === textOf(spec)) return;
    if (same) throw rejected(`The index ${same.name} has the same name or fields, but other options.`);
    this.#addIndex(spec);
    this.#lines.push(textOf({ $index: spec }));
  }

  /** Writes what has changed since the last call. */
  save(): void {
    if (this.#lines.length === 0) return;
    this.#file.append(this.#lines);
    this.#lines = [];
    if (this.#superseded > MANY_SUPERSEDED && this.#superseded > this.#documents.size) this.#compact();
  }

  close(): void {
    this.#file.close();
  }

  #load(line: Document): void {
    const { $deleted, $index } = line;
    if ($index !== undefined) this.#addIndex($index as IndexSpec);
    else if ($deleted !== undefined) {
      const { _id } = toDocument({ _id: $deleted });
      const document = this.#documents.get(textOf([_id]));
      if (document) this.delete(document);
    } else {
      const document = toDocument(line);
      this.put(document, this.#documents.get(textOf([document._id])));
    }
    this.#lines = [];
  }

  #addIndex(spec: IndexSpec): void {
    if (spec.unique) {
      const index = new UniqueIndex(spec.name, spec.keys, spec.sparse);
      for (const [id, document] of this.#documents) {
        index.check(id, document);
        index.add(id, document);
      }
      this.#unique.set(spec.name, index);
    }
    this.#indexes.push(spec);
  }

  #compact(): void {
    this.#file.replace([...this.#indexes.map($index => textOf({ $index })), ...this.documents.map(textOf)]);
    this.#superseded = 0;
  }
}
