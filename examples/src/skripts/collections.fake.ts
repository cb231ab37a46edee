import { storageOperationSchema } from '@trawl/contracts';
import { type Binary, deserialize, NumberUtils, serialize } from 'bson';

type Document = Record<string, unknown>;

/** Name of the global object through which @trawl/storage calls the platform; see packages/storage. */
const PORT = Symbol.for('trawl.storage');

const matches = (document: Document, filter: Document): boolean =>
  Object.entries(filter).every(([field, value]) => document[field] === value);

class FakeCollection {
  documents: Document[] = [];
  readonly uniqueFields: string[] = [];

  insert(document: Document): void {
    for (const field of this.uniqueFields) {
      if (this.documents.some(other => other[field] === document[field])) {
        throw new Error(`a document with this ${field} already exists`);
      }
    }
    this.documents.push(document);
  }

  /** Inserts BSON documents that follow one another, and returns their number. */
  insertAll({ buffer }: Binary): number {
    let count = 0;
    for (let from = 0; from < buffer.length; count++) {
      const to = from + NumberUtils.getInt32LE(buffer, from);
      this.insert(deserialize(buffer.subarray(from, to)));
      from = to;
    }
    return count;
  }

  replace(filter: Document, replacement: Document): Document {
    const at = this.documents.findIndex(document => matches(document, filter));
    if (at === -1) this.insert(replacement);
    else this.documents[at] = replacement;
    const matched = at === -1 ? 0 : 1;
    return { matched_count: matched, modified_count: matched, upserted_count: 1 - matched, upserted_id: null };
  }

  remove(filter: Document): Document {
    const kept = this.documents.filter(document => !matches(document, filter));
    const deleted = this.documents.length - kept.length;
    this.documents = kept;
    return { deleted_count: deleted };
  }
}

export interface FakeCollections {
  documentsOf(name: string): Document[];
  remove(): void;
}

/** Provides a database in memory for @trawl/storage, with the operations that the sample skripts use. */
export function provideCollections(): FakeCollections {
  const collections = new Map<string, FakeCollection>();
  const collectionNamed = (name: string): FakeCollection => {
    const collection = collections.get(name) ?? new FakeCollection();
    collections.set(name, collection);
    return collection;
  };
  const operate = (collection: FakeCollection, method: string, args: Document): Document => {
    switch (method) {
      case 'createIndex':
        if (args.unique) collection.uniqueFields.push(...Object.keys(args.keys as Document));
        return { name: 'index' };
      case 'insertMany':
        return { inserted_count: collection.insertAll(args.docs as Binary) };
      case 'replaceOne':
        if (args.upsert !== true) throw new Error('the fake supports replaceOne only with upsert');
        return collection.replace(args.filter as Document, args.replacement as Document);
      case 'deleteMany':
        return collection.remove(args.filter as Document);
      default:
        throw new Error(`the fake does not support ${method} yet; add it here`);
    }
  };
  Object.assign(globalThis, {
    [PORT]: async (request: object) => {
      const { collection, method, args } = storageOperationSchema.parse({ ...request, resend: false });
      const result = operate(collectionNamed(collection), method, deserialize(args));
      return { result: serialize(result) };
    },
  });
  return {
    documentsOf: name => collections.get(name)?.documents ?? [],
    remove: () => Reflect.deleteProperty(globalThis, PORT),
  };
}
