import { ObjectId } from 'bson';
import type { Document } from '../protocol/document.js';
import { StorageError } from '../protocol/storage-error.js';
import { textOf } from './values.js';

export interface IndexSpec {
  name: string;
  keys: Record<string, 1 | -1>;
  unique: boolean;
  /** Leaves out documents that lack a field of the index. */
  sparse?: boolean;
}

/** The documents of a collection by the values of the fields of a unique index. */
export class UniqueIndex {
  readonly #owners = new Map<string, string>();
  readonly #fields: string[];

  constructor(
    private readonly name: string,
    keys: Record<string, 1 | -1>,
    private readonly isSparse = false,
  ) {
    this.#fields = Object.keys(keys);
  }

  /** @throws {StorageError} `storage_duplicate_key` if another document than `id` has the values of `document` */
  check(id: string | null, document: Document): void {
    for (const key of this.#keysOf(document)) {
      const owner = this.#owners.get(key);
      if (owner === undefined || owner === id) continue;
      const values = JSON.parse(key) as unknown[];
      const shown = this.#fields.map((field, at) => `${field}: ${JSON.stringify(values[at])}`).join(', ');
      throw new StorageError(
        'storage_duplicate_key',
        `A document with { ${shown.slice(0, 500)} } (index ${this.name}) already exists.`,
      );
    }
  }

  add(id: string, document: Document): void {
    for (const key of this.#keysOf(document)) this.#owners.set(key, id);
  }

  remove(document: Document): void {
    for (const key of this.#keysOf(document)) this.#owners.delete(key);
  }

  /**
   * Returns the id of the only document that a filter can match because it names the values of all fields; null if
   * there is none, undefined if the filter does not name them.
   */
  find(filter: Document): string | null | undefined {
    const values = this.#fields.map(field => filter[field]);
    if (!values.every(isScalar)) return undefined;
    return this.#owners.get(textOf(values)) ?? null;
  }

  /** A field that is an array has a key for each item. */
  #keysOf(document: Document): Set<string> {
    if (this.isSparse && !this.#fields.every(field => field in document)) return new Set();
    let keys: unknown[][] = [[]];
    for (const field of this.#fields) {
      const values = valuesAt(document, field.split('.'));
      keys = keys.flatMap(key => (values.length > 0 ? values : [null]).map(value => [...key, value]));
    }
    return new Set(keys.map(textOf));
  }
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || value instanceof ObjectId;

/** Returns the values at a path, through arrays on the way and the items of an array at its end. */
export function valuesAt(value: unknown, [field, ...rest]: string[]): unknown[] {
  if (field === undefined) return Array.isArray(value) ? value : value === undefined ? [] : [value];
  if (Array.isArray(value)) {
    return /^\d+$/.test(field)
      ? valuesAt(value[Number(field)], rest)
      : value.flatMap(item => valuesAt(item, [field, ...rest]));
  }
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, field)) return [];
  return valuesAt((value as Document)[field], rest);
}
