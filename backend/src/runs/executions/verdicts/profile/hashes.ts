/** MurmurHash3: hashes of libraries would need a copy of the bytes, or an object for each value. */

/** The hash of a longer value reads only its length, its start and its end. */
const START_BYTES = 48;
const END_BYTES = 16;

/** Hashes the bytes from `from` to `to`. */
export const hashOfRow = (view: DataView, from: number, to: number): number => mixed(added(0, view, from, to));

/** Hashes the length, the start and the end of a value. */
export function hashOfValue(view: DataView, from: number, length: number): number {
  const to = from + length;
  if (length <= START_BYTES + END_BYTES) return mixed(added(length, view, from, to));
  return mixed(added(added(length, view, from, from + START_BYTES), view, to - END_BYTES, to));
}

/** Adds bytes to a hash, four at a time. */
function added(before: number, view: DataView, from: number, to: number): number {
  let hash = before;
  let at = from;
  for (; at + 4 <= to; at += 4) hash = addedWord(hash, view.getInt32(at, true));
  if (at === to) return hash;
  let rest = 0;
  for (; at < to; at++) rest = (rest << 8) | view.getUint8(at);
  return addedWord(hash, rest);
}

function addedWord(before: number, word: number): number {
  const spread = Math.imul(word, 0xcc9e2d51);
  const hash = before ^ Math.imul((spread << 15) | (spread >>> 17), 0x1b873593);
  return (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
}

/** Spreads the bits of a hash evenly. */
export function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
