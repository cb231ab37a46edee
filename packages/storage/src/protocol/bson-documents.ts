import { Binary, BSONError, deserialize, NumberUtils, serialize } from 'bson';
import type { Document } from './document.js';
import { StorageError } from './storage-error.js';

/**
 * Encodes an object as BSON. As in the MongoDB driver, `undefined` becomes null: a filter without its undefined field
 * would match more.
 *
 * @param what names the value in errors
 * @throws {StorageError} `storage_rejected` or `storage_too_large`
 */
export function encode(value: object, what: string): Uint8Array {
  try {
    return serialize(value, { ignoreUndefined: false });
  } catch (error) {
    if (error instanceof BSONError) throw new StorageError('storage_rejected', `${what}: ${error.message}`);
    // The encoder has a buffer of 17 MB and works recursively.
    if (error instanceof RangeError) {
      throw new StorageError('storage_too_large', `${what}: a value is too large or nested too deeply.`);
    }
    throw error;
  }
}

/** Decodes BSON. Regular expressions stay `BSONRegExp`, because JavaScript cannot read all patterns of MongoDB. */
export const decode = (bytes: Uint8Array): Document => deserialize(bytes, { bsonRegExp: true });

/** Joins encoded documents for a call or an answer, see `docs` in the protocol. */
export const joinDocuments = (documents: Uint8Array[]): Binary => new Binary(Buffer.concat(documents));

/** Decodes the document at `offset` of joined documents, and returns the offset of the next one. */
export function decodeAt(bytes: Uint8Array, offset: number): [document: Document, next: number] {
  const next = offset + NumberUtils.getInt32LE(bytes, offset);
  return [decode(bytes.subarray(offset, next)), next];
}

/** Decodes joined documents. */
export function decodeDocuments({ buffer: bytes }: Binary): Document[] {
  const documents: Document[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const [document, next] = decodeAt(bytes, offset);
    documents.push(document);
    offset = next;
  }
  return documents;
}
