import { types } from 'node:util';
import { deserialize, onDemand } from 'bson';
import { isBson } from '../../../data/storage/values/is-bson.js';

export type Fields = Record<string, unknown>;

/** A document of a source: its fields, or the BSON that contains them. */
export type StoredDocument = Fields | Uint8Array;

/** JavaScript does not understand every regular expression of MongoDB. */
const AS_STORED = { bsonRegExp: true } as const;
const OBJECT = 0x03;
const EMPTY_OBJECT_BYTES = 5;
/** Where the name of the first field of an object begins: after the object's size and the field's type. */
const FIRST_NAME_AT = 5;
const DOLLAR = 0x24;

export const isBytes = (document: StoredDocument): document is Uint8Array => types.isUint8Array(document);

/** Decodes a document. Decode one at a time: a decoded batch outlives garbage collections, so that the heap grows. */
export const fieldsOf = (document: StoredDocument): Fields =>
  isBytes(document) ? deserialize(document, AS_STORED) : document;

/** Yields the names of a document's fields. A field that is an object with fields comes with the BSON of the object. */
export function* namesIn(document: Uint8Array): Generator<[name: string, object: Uint8Array | null]> {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.length);
  for (const [type, nameAt, nameLength, at, length] of onDemand.parseToElements(bytes)) {
    const object = type === OBJECT && length > EMPTY_OBJECT_BYTES ? bytes.subarray(at, at + length) : null;
    yield [bytes.toString('utf8', nameAt, nameAt + nameLength), object && !isReference(object) ? object : null];
  }
}

/** Returns whether the driver decodes an object to a DBRef, which is one value. */
const isReference = (object: Uint8Array): boolean =>
  object[FIRST_NAME_AT] === DOLLAR && isBson(deserialize(object, AS_STORED));
