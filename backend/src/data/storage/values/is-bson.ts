/**
 * Tells whether a value is an instance of a bson class. Checks for the symbol that every build of bson sets.
 * `instanceof` does not work, because the driver loads bson as CommonJS and Trawl as an ES module. Users' values come
 * from JSON and cannot contain symbols.
 */
export const isBson = (value: object): value is { _bsontype: string } => Symbol.for('@@mdb.bson.version') in value;
