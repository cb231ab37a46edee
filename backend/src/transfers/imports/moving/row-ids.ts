import { randomBytes } from 'node:crypto';
import { ObjectId } from 'bson';

const SECONDS_BYTES = 4;
const RANDOM_BYTES = 5;
const PREFIX_BYTES = SECONDS_BYTES + RANDOM_BYTES;
const ID_BYTES = 12;
/** The last random byte stays below this, so that numbers of rows beyond 24 bits never leave the range of the import. */
const MAX_LAST_BYTE = 0x7f;

/**
 * The `_id`s of the rows of an import that have none. As those of MongoDB's drivers, they begin with the second. But their
 * five random bytes are new for each import, not for each process, so that imports of one second have different `_id`s.
 * The same prefix gives the same `_id`s again.
 */
export class RowIds {
  readonly #bytes = Buffer.alloc(ID_BYTES);
  readonly #lowest: number;

  /** @param prefix from `newPrefix`. Prefixes of older releases, which lack a byte, give the same `_id`s as there. */
  constructor(prefix: string) {
    this.#bytes.write(prefix, 'hex');
    this.#lowest = this.#bytes.readUInt32BE(ID_BYTES - 4);
  }

  /** The beginning of the `_id`s of one import, in hex. */
  static newPrefix(): string {
    const bytes = Buffer.alloc(PREFIX_BYTES);
    bytes.writeUInt32BE(Math.floor(Date.now() / 1_000));
    randomBytes(RANDOM_BYTES).copy(bytes, SECONDS_BYTES);
    bytes[PREFIX_BYTES - 1] = (bytes[PREFIX_BYTES - 1] ?? 0) & MAX_LAST_BYTE;
    return bytes.toString('hex');
  }

  of(number: number): ObjectId {
    const bytes = Buffer.from(this.#bytes);
    bytes.writeUInt32BE(this.#lowest + number, ID_BYTES - 4);
    return new ObjectId(bytes);
  }
}
