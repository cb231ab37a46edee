import { storageOperationSchema } from '@trawl/contracts';
import { EJSON } from 'bson';

type Document = Record<string, unknown>;

/** The run's port to the platform; see packages/storage. */
const PORT = Symbol.for('trawl.storage');

const matches = (document: Document, filter: Document): boolean =>
  Object.entries(filter).every(([field, value]) => document[field] === value);

class FakeCollection {
  documents: Document[] = [];
  readonly uniqueFields: string[] = [];

  insert(document: Document): void {
    for (const field of this.uniqueFields) {
      if (this.documents.some(other => other[field] === document[field])) {
        throw new Error(`a document with this ${field} is there already`);
      }
    }
    this.documents.push(document);
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

/** A user's database in memory behind the run's storage port, with the operations that the sample skripts use. */
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
        for (const document of args.docs as Document[]) collection.insert(document);
        return { inserted_count: (args.docs as Document[]).length };
      case 'replaceOne':
        if (args.upsert !== true) throw new Error('the sample skripts replace with upsert only');
        return collection.replace(args.filter as Document, args.replacement as Document);
      case 'deleteMany':
        return collection.remove(args.filter as Document);
      default:
        throw new Error(`no sample skript needed ${method} so far: add it here`);
    }
  };
  Object.assign(globalThis, {
    [PORT]: async (request: object) => {
      const { collection, method, args } = storageOperationSchema.parse({ ...request, resend: false });
      const result = operate(collectionNamed(collection), method, EJSON.parse(args, { relaxed: true }));
      return { result: EJSON.stringify(result, { relaxed: false }) };
    },
  });
  return {
    documentsOf: name => collections.get(name)?.documents ?? [],
    remove: () => Reflect.deleteProperty(globalThis, PORT),
  };
}
