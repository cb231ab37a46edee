import { isUtf8 } from 'node:buffer';
import { Binary, NumberUtils, serialize } from 'bson';
import { StorageFailure } from '../mongodb/storage-failures.js';
import { MAX_DEPTH } from './operators.js';

/** Checked documents that follow one another. See docs/decisions/0131-documents-travel-as-bson.md. */
export interface DocumentBytes {
  bytes: Buffer;
  /** Where each document and its element `_id` begin and end in `bytes`. */
  positions: { from: number; to: number; idFrom: number; idTo: number }[];
}

const TYPE = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal128: 0x13,
  maxKey: 0x7f,
  minKey: 0xff,
} as const;

const OLD_BINARY = 2;
const VECTOR = 9;
const DOLLAR = 0x24;
const UNDERSCORE = 0x5f;
const RESERVED_NAMES = new Set(['_bsontype', '__proto__']);
const RESERVED_NAME_BYTES = 9;
/** `isUtf8` is slower than a loop for texts shorter than this. */
const SHORT_TEXT_BYTES = 32;

/**
 * Checks that `bytes` are exactly one well-formed BSON object, so that `deserialize` cannot fail. Names of fields may
 * be operators.
 * @throws {StorageFailure} `storage_rejected`.
 */
export function checkBson(bytes: Buffer): void {
  // The values of the arguments are one level deeper than the arguments.
  const end = new BsonWalk(bytes, 0, MAX_DEPTH + 1, false).run();
  if (end !== bytes.length) throw malformed('bytes follow the object', end);
}

/**
 * Checks documents that follow one another as `checkDocument` does, without decoding them.
 * @throws {StorageFailure} `storage_rejected`.
 */
export function checkDocuments(bytes: Buffer): DocumentBytes {
  const positions: DocumentBytes['positions'] = [];
  for (let from = 0; from < bytes.length; ) {
    const walk = new BsonWalk(bytes, from, MAX_DEPTH, true);
    const to = walk.run();
    const { idFrom, idTo } = walk;
    if (idFrom < 0) throw rejected('docs: every document needs an _id.');
    positions.push({ from, to, idFrom, idTo });
    from = to;
  }
  if (positions.length === 0) throw rejected('docs: expected at least one document.');
  return { bytes, positions };
}

/** Returns each document with `_id` as its first field, as MongoDB stores it. */
export function storedForms({ bytes, positions }: DocumentBytes): Buffer[] {
  return positions.map(({ from, to, idFrom, idTo }) => {
    const size = bytes.subarray(from, from + 4);
    const id = bytes.subarray(idFrom, idTo);
    return Buffer.concat([size, id, bytes.subarray(from + 4, idFrom), bytes.subarray(idTo, to)]);
  });
}

/** Walks over the bytes of one BSON object without building its values. */
class BsonWalk {
  idFrom = -1;
  idTo = -1;

  constructor(
    private readonly bytes: Buffer,
    private readonly from: number,
    private readonly maxDepth: number,
    /** Whether the object is a document to store, so that its fields must not have names of operators. */
    private readonly isDocument: boolean,
  ) {}

  /** Returns where the object ends. */
  run(): number {
    return this.#object(this.from, this.bytes.length, 0);
  }

  /** Checks an object or array that must end before `limit`, and returns where it ends. */
  #object(from: number, limit: number, depth: number): number {
    if (depth > this.maxDepth) throw rejected(`A value is nested more than ${MAX_DEPTH} levels deep.`);
    const { bytes } = this;
    const size = this.#size(from, limit);
    if (size < 5 || size > limit - from) throw malformed('wrong size of an object', from);
    const end = from + size - 1;
    if (bytes[end] !== 0) throw malformed('an object without end', from);
    let ref: number = REF.none;
    let at = from + 4;
    for (let index = 0; at < end; index++) {
      const type = bytes[at] as number;
      const name = at + 1;
      const nameEnd = this.#cstring(name, end);
      if (nameEnd - name === RESERVED_NAME_BYTES && bytes[name] === UNDERSCORE) this.#notReserved(name, nameEnd);
      if (bytes[name] === DOLLAR && this.isDocument) ref = this.#operatorName(name, nameEnd, type, depth, index, ref);
      const next = this.#value(type, nameEnd + 1, end, depth);
      if (depth === 0 && this.isDocument && isId(bytes, name, nameEnd)) this.#keepId(at, next);
      at = next;
    }
    if (at !== end) throw malformed('a value beyond the end of its object', from);
    if (ref === REF.begun) throw refusedName('$ref');
    return end + 1;
  }

  #keepId(from: number, to: number): void {
    if (this.idFrom >= 0) throw rejected('docs: a document has two fields named _id.');
    this.idFrom = from;
    this.idTo = to;
  }

  /** Checks a text that ends with NUL, such as the name of a field, and returns where the NUL is. */
  #cstring(from: number, end: number): number {
    const { bytes } = this;
    let bits = 0;
    let at = from;
    for (; at < end && bytes[at] !== 0; at++) bits |= bytes[at] as number;
    if (at >= end) throw malformed('a name without end', from);
    if (bits > 0x7f && !isUtf8(bytes.subarray(from, at))) throw malformed('a name that is not UTF-8', from);
    return at;
  }

  #notReserved(from: number, to: number): void {
    const name = this.bytes.toString('latin1', from, to);
    // The driver would take an object with `_bsontype` for a BSON value.
    if (RESERVED_NAMES.has(name)) throw rejected(`A field cannot be named ${name}.`);
  }

  /** Refuses a name that begins with $, unless the object is a DBRef: `$ref`, then `$id`, and no `$db`. */
  #operatorName(from: number, to: number, type: number, depth: number, index: number, ref: number): number {
    const name = this.bytes.toString('utf8', from, to);
    if (name === '$ref' && type === TYPE.string && depth > 0 && index === 0) return REF.begun;
    if (name === '$id' && type !== TYPE.null && ref === REF.begun) return REF.whole;
    if (name === '$db' && ref === REF.whole) throw rejected('A DBRef to another database is not allowed.');
    throw refusedName(name);
  }

  /** Checks a value and returns where it ends. The caller checks that this is not beyond `end`. */
  #value(type: number, from: number, end: number, depth: number): number {
    switch (type) {
      case TYPE.string:
      case TYPE.symbol:
        return this.#text(from, end);
      case TYPE.object:
      case TYPE.array:
        return this.#object(from, end, depth + 1);
      case TYPE.boolean:
        if ((this.bytes[from] as number) > 1) throw malformed('a boolean that is neither 0 nor 1', from);
        return from + 1;
      case TYPE.int32:
        return from + 4;
      case TYPE.double:
      case TYPE.date:
      case TYPE.timestamp:
      case TYPE.int64:
        return from + 8;
      case TYPE.objectId:
        return from + 12;
      case TYPE.decimal128:
        return from + 16;
      case TYPE.null:
      case TYPE.minKey:
      case TYPE.maxKey:
        return from;
      case TYPE.binary:
        return this.#binary(from, end);
      case TYPE.regex:
        return this.#regex(from, end);
      case TYPE.code:
      case TYPE.codeWithScope:
        throw rejected('Values of the type Code are not allowed.');
      default:
        throw malformed(`a value of the unknown type ${type}`, from);
    }
  }

  #text(from: number, end: number): number {
    const size = this.#size(from, end);
    const text = from + 4;
    if (size < 1 || size > end - text) throw malformed('wrong size of a text', from);
    const last = text + size - 1;
    if (this.bytes[last] !== 0) throw malformed('a text without end', from);
    if (!this.#isUtf8(text, last)) throw malformed('a text that is not UTF-8', from);
    return last + 1;
  }

  #isUtf8(from: number, to: number): boolean {
    const { bytes } = this;
    if (to - from < SHORT_TEXT_BYTES) {
      let bits = 0;
      for (let at = from; at < to; at++) bits |= bytes[at] as number;
      if (bits < 0x80) return true;
    }
    return isUtf8(bytes.subarray(from, to));
  }

  #binary(from: number, end: number): number {
    const size = this.#size(from, end);
    const data = from + 5;
    if (size < 0 || size > end - data) throw malformed('wrong size of binary data', from);
    const subtype = this.bytes[from + 4];
    if (subtype === OLD_BINARY && this.#size(data, data + size) !== size - 4) {
      throw malformed('wrong size of binary data', data);
    }
    if (subtype === VECTOR) checkVector(this.bytes.subarray(data, data + size));
    return data + size;
  }

  #regex(from: number, end: number): number {
    const options = this.#cstring(from, end) + 1;
    const optionsEnd = this.#cstring(options, end);
    if (!/^[ilmsux]*$/.test(this.bytes.toString('latin1', options, optionsEnd))) {
      throw malformed('unknown options of a regular expression', options);
    }
    return optionsEnd + 1;
  }

  #size(at: number, end: number): number {
    if (end - at < 4) throw malformed('a value beyond the end of its object', at);
    return NumberUtils.getInt32LE(this.bytes, at);
  }
}

/** How much of a DBRef the names of an object have shown. */
const REF = { none: 0, begun: 1, whole: 2 } as const;

const isId = (bytes: Buffer, from: number, to: number): boolean =>
  to - from === 3 && bytes[from] === UNDERSCORE && bytes[from + 1] === 0x69 && bytes[from + 2] === 0x64;

/** bson refuses to read malformed vectors, so nobody could read the document. */
function checkVector(data: Buffer): void {
  try {
    serialize({ vector: new Binary(data, VECTOR) });
  } catch (error) {
    throw rejected(`A vector is malformed: ${(error as Error).message}`);
  }
}

const refusedName = (name: string): StorageFailure =>
  rejected(`A field of a document cannot be named ${name.slice(0, 60)}: names that begin with $ are operators.`);

const malformed = (what: string, at: number): StorageFailure =>
  rejected(`The call is not valid BSON: ${what}, at byte ${at}.`);

const rejected = (message: string): StorageFailure => new StorageFailure('storage_rejected', message);
