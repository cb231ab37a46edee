import type { ColumnType } from './declared.js';

/** How values of a type become bytes, and values again. */
interface Packing<T> {
  /** The most bytes that a value takes. */
  room(value: T): number;
  /** Returns how many bytes the value took. */
  write(memory: Memory, value: T, at: number): number;
  read(memory: Memory, from: number, to: number): T;
}

/** One piece of memory, as bytes and as numbers. */
interface Memory {
  bytes: Buffer;
  view: DataView;
}

const WORD = 8;
const UTF8_BYTES = 3;

const TEXT: Packing<string> = {
  room: text => text.length * UTF8_BYTES,
  write: ({ bytes }, text, at) => bytes.write(text, at),
  read: ({ bytes }, from, to) => bytes.toString('utf8', from, to),
};

const BYTES: Packing<Uint8Array> = {
  room: value => value.length,
  write: ({ bytes }, value, at) => {
    bytes.set(value, at);
    return value.length;
  },
  read: ({ bytes }, from, to) => bytes.subarray(from, to),
};

/** Packs values that are a number. */
const asNumber = <T>(numberOf: (value: T) => number, toValue: (number: number) => T): Packing<T> => ({
  room: () => WORD,
  write: ({ view }, value, at) => {
    view.setFloat64(at, numberOf(value));
    return WORD;
  },
  read: ({ view }, from) => toValue(view.getFloat64(from)),
});

const INT64: Packing<bigint> = {
  room: () => WORD,
  write: ({ view }, value, at) => {
    view.setBigInt64(at, value);
    return WORD;
  },
  read: ({ view }, from) => view.getBigInt64(from),
};

const INT128: Packing<bigint> = {
  room: () => 2 * WORD,
  write: ({ view }, value, at) => {
    view.setBigInt64(at, value >> 64n);
    view.setBigInt64(at + WORD, value);
    return 2 * WORD;
  },
  read: ({ view }, from) => (view.getBigInt64(from) << 64n) | view.getBigUint64(from + WORD),
};

const NUMBER = asNumber<number>(
  value => value,
  number => number,
);

const PACKINGS: Record<ColumnType, Packing<unknown>> = {
  boolean: asNumber<boolean>(Number, Boolean),
  integer: INT64,
  long: INT64,
  double: NUMBER,
  decimal: INT128,
  timestamp: asNumber<Date>(Number, number => new Date(number)),
  date: NUMBER,
  instant: INT64,
  local: INT64,
  bytes: BYTES,
  text: TEXT,
};

/** Bytes for the size of each value. */
const SIZE_BYTES = 4;
const NULL = -1;
const FIRST_BYTES = 64;

/**
 * The values of a column until they are written. Millions of values would be slow and large as objects, because each
 * garbage collection copies or visits them; these are two pieces of memory outside the heap.
 */
export class PackedColumn {
  #memory = memoryOf(FIRST_BYTES);
  #used = 0;
  #sizes = new Int32Array(FIRST_BYTES / SIZE_BYTES);
  #count = 0;
  readonly #packing: Packing<unknown>;

  constructor(type: ColumnType) {
    this.#packing = PACKINGS[type];
  }

  /** The bytes of all values. */
  get bytes(): number {
    return this.#used + this.#count * SIZE_BYTES;
  }

  /** Adds a value of the column's type; undefined for none. */
  push(value: unknown): void {
    if (this.#count === this.#sizes.length) {
      const sizes = new Int32Array(this.#count * 2);
      sizes.set(this.#sizes);
      this.#sizes = sizes;
    }
    const size = value === undefined ? NULL : this.#write(value);
    this.#sizes[this.#count] = size;
    this.#count += 1;
  }

  #write(value: unknown): number {
    const needed = this.#used + this.#packing.room(value);
    const { bytes } = this.#memory;
    if (needed > bytes.length) {
      this.#memory = memoryOf(Math.max(bytes.length * 2, needed));
      bytes.copy(this.#memory.bytes, 0, 0, this.#used);
    }
    const size = this.#packing.write(this.#memory, value, this.#used);
    this.#used += size;
    return size;
  }

  /** Returns all values, in the order in which they were added. Bytes are valid while the column has no new values. */
  values(): unknown[] {
    const values = new Array<unknown>(this.#count);
    let at = 0;
    for (let index = 0; index < this.#count; index += 1) {
      const size = this.#sizes[index] as number;
      if (size === NULL) continue;
      values[index] = this.#packing.read(this.#memory, at, at + size);
      at += size;
    }
    return values;
  }
}

function memoryOf(size: number): Memory {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer) };
}
