import { Binary } from 'bson';
import { decode, decodeDocuments, encode, joinDocuments } from '../src/protocol/bson-documents.js';

type Fields = Record<string, unknown>;

/** Encodes the arguments or the result of a storage call. An array `docs` becomes joined documents. */
export function encodeMessage(message: object): Uint8Array {
  const { docs } = message as { docs?: object[] };
  const joined = Array.isArray(docs) ? { docs: joinDocuments(docs.map(document => encode(document, 'docs'))) } : {};
  return encode({ ...message, ...joined }, 'message');
}

/** Decodes the arguments or the result of a storage call, with `docs` as an array. */
export function decodeMessage(bytes: Uint8Array): Fields {
  const message = decode(bytes);
  return message.docs instanceof Binary ? { ...message, docs: decodeDocuments(message.docs) } : message;
}
