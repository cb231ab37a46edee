/**
 * Converts a parameter to PostgreSQL's text. Dates become ISO times, bytes `bytea`, arrays PostgreSQL arrays, and other
 * objects JSON.
 */
export function toParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return toArray(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

function toArray(values: unknown[]): string {
  const items = values.map(value => {
    if (Array.isArray(value)) return toArray(value);
    const text = toParameter(value);
    return text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  });
  return `{${items.join(',')}}`;
}

/** Converts a value to JSON, for a statement that inserts rows from JSON. */
export function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? toParameter(value) : value;
}
