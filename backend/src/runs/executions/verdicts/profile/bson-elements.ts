/** Reads elements of well-formed BSON where they are, without building values. */
/** Makes the view that reads numbers from bytes. Make one for many rows, because it costs more than reading a row. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** @param name ends with NUL */
export function isNamed(view: DataView, from: number, name: DataView): boolean {
  const { byteLength } = name;
  if (from + byteLength > view.byteLength) return false;
  let at = 0;
  for (; at + 4 <= byteLength; at += 4) if (view.getInt32(from + at) !== name.getInt32(at)) return false;
  for (; at < byteLength; at++) if (view.getUint8(from + at) !== name.getUint8(at)) return false;
  return true;
}

/** Returns where the NUL is that ends a name. */
export function endOfName(view: DataView, from: number): number {
  let at = from;
  while (view.getUint8(at) !== 0) at++;
  return at;
}

/** Returns the number of bytes of a value. */
export function sizeOf(view: DataView, type: number, at: number): number {
  switch (type) {
    case 0x02:
    case 0x0d:
    case 0x0e:
      return 4 + view.getInt32(at, true);
    case 0x03:
    case 0x04:
    case 0x0f:
      return view.getInt32(at, true);
    case 0x05:
      return 5 + view.getInt32(at, true);
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
      const optionsAt = endOfName(view, at) + 1;
      return endOfName(view, optionsAt) + 1 - at;
    }
    case 0x0c:
      return 4 + view.getInt32(at, true) + 12;
    default:
      // Null, undefined and the two keys have no bytes.
      return 0;
  }
}
