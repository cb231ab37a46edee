/** Returns the Unix time in ms at which a UUIDv7 was made. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns the smallest UUIDv7 of a moment. The first 48 bits of a UUIDv7 are the Unix time in ms. */
export function firstIdAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
