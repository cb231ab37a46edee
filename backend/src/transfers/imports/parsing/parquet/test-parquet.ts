import { gzipSync } from 'node:zlib';

/** A value of Thrift's compact protocol: its type, and its bytes. */
export interface Thrift {
  type: number;
  bytes: Buffer;
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}
const zigzag = (value: bigint): Buffer => varint((value << 1n) ^ (value >> 63n));

const i32 = (value: number): Thrift => ({ type: 5, bytes: zigzag(BigInt(value)) });
const i64 = (value: bigint): Thrift => ({ type: 6, bytes: zigzag(value) });
const text = (value: string): Thrift => ({
  type: 8,
  bytes: Buffer.concat([varint(BigInt(value.length)), Buffer.from(value)]),
});
/** @param size the number of items that the list says it has. */
const list = (items: Thrift[], size = items.length): Thrift => ({
  type: 9,
  bytes: Buffer.concat([
    Buffer.from([0xf0 | (items[0]?.type ?? 12)]),
    varint(BigInt(size)),
    ...items.map(({ bytes }) => bytes),
  ]),
});
const struct = (fields: Record<number, Thrift>): Thrift => {
  const parts = Object.entries(fields).flatMap(([id, { type, bytes }]) => [
    Buffer.from([type]),
    zigzag(BigInt(id)),
    bytes,
  ]);
  return { type: 12, bytes: Buffer.concat([...parts, Buffer.from([0])]) };
};

interface PageOptions {
  values: number;
  /** The number of values in the header; default: `values`. */
  declared?: number;
  unpacked?: number;
  gzip?: boolean;
}

/** A data page of zeros as 64-bit integers. */
export function page({ values, declared = values, unpacked = values * 8, gzip = false }: PageOptions): Buffer {
  const data = gzip ? gzipSync(Buffer.alloc(values * 8)) : Buffer.alloc(values * 8);
  const header = struct({
    1: i32(0),
    2: i32(unpacked),
    3: i32(data.length),
    5: struct({ 1: i32(declared), 2: i32(0), 3: i32(3), 4: i32(3) }),
  });
  return Buffer.concat([header.bytes, data]);
}

interface FileOptions {
  rows: bigint;
  pages: Buffer;
  codec?: number;
  /** Groups around the column. */
  depth?: number;
  /** The number of columns that the root says it has. */
  children?: number;
  offset?: bigint;
  /** The number of row groups that the list says it has. */
  groups?: number;
}

/** A Parquet file with one required column of 64-bit integers, which may lie. */
export function parquetFile({
  rows,
  pages,
  codec = 0,
  depth = 0,
  children = 1,
  offset = 4n,
  groups = 1,
}: FileOptions): Buffer {
  const path = [...Array(depth).fill('g'), 'n'];
  const schema = [
    struct({ 4: text('root'), 5: i32(children) }),
    ...Array.from({ length: depth }, () => struct({ 3: i32(0), 4: text('g'), 5: i32(1) })),
    struct({ 1: i32(2), 3: i32(0), 4: text('n') }),
  ];
  const column = struct({
    2: i64(offset),
    3: struct({
      1: i32(2),
      2: list([i32(0)]),
      3: list(path.map(text)),
      4: i32(codec),
      5: i64(rows),
      6: i64(BigInt(pages.length)),
      7: i64(BigInt(pages.length)),
      9: i64(offset),
    }),
  });
  const group = struct({ 1: list([column]), 2: i64(BigInt(pages.length)), 3: i64(rows) });
  const footer = struct({ 1: i32(1), 2: list(schema), 3: i64(rows), 4: list([group], groups) }).bytes;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), pages, footer, size, Buffer.from('PAR1')]);
}
