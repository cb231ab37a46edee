/**
 * Whether a value is one of bson's classes: by the mark that every build of it sets, as its class is another one in each:
 * the driver loads CommonJS, we the ES module. What comes from users has no symbols.
 */
export const isBson = (value: object): value is { _bsontype: string } => Symbol.for('@@mdb.bson.version') in value;
