import { serialize } from 'bson';

/**
 * Converts the rows of a call of `postgres.insertMany`, a JSON array of objects, to BSON. Leaves out a row that BSON
 * cannot hold, such as one with NUL in a name, and returns none for another text: then no `insertMany` has made the call.
 */
export const bsonRowsIn = (text: string): Buffer[] => arrayIn(text).flatMap(row => bsonOf(row) ?? []);

function arrayIn(text: string): object[] {
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows : [];
  } catch {
    return [];
  }
}

function bsonOf(row: object): Buffer | null {
  try {
    return Buffer.from(serialize(row));
  } catch {
    return null;
  }
}
