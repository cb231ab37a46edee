/** Reads elements of well-formed BSON where they are, without building values. */
export const int32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24);

export function isNamed(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  const { length } = name;
  for (let index = 0; index < length; index++) if (bytes[from + index] !== name[index]) return false;
  return bytes[from + length] === 0;
}

/** Returns the number of bytes of a value. */
export function sizeOf(bytes: Buffer, type: number, at: number): number {
  switch (type) {
    case 0x02:
    case 0x0d:
    case 0x0e:
      return 4 + int32(bytes, at);
    case 0x03:
    case 0x04:
    case 0x0f:
      return int32(bytes, at);
    case 0x05:
      return 5 + int32(bytes, at);
    case 0x07:
      return 12;
    case 0x08:
      return 1;
    case 0x10:
      return 4;
    case 0x01:
    case 0x09:
    case 0x11:
    case 0x12:
      return 8;
    case 0x13:
      return 16;
    case 0x0b: {
      const patternEnd = bytes.indexOf(0, at);
      return bytes.indexOf(0, patternEnd + 1) + 1 - at;
    }
    case 0x0c:
      return 4 + int32(bytes, at) + 12;
    default:
      // Null, undefined and the two keys have no bytes.
      return 0;
  }
}
