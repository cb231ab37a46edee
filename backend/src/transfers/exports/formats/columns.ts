import { types } from 'node:util';
import type { Binary } from 'bson';
import { ExactNumber, exactText, JsonText } from '../../../data/storage/values/exact-json.js';
import { isBson } from '../../../data/storage/values/is-bson.js';
import { ApiError } from '../../../platform/common/errors.js';
import { type ColumnType, convertDeclared, type DeclaredColumns } from './declared.js';
import { type Fields, isBytes, namesIn, type StoredDocument } from './documents.js';

/** The most columns that a sheet of a spreadsheet can have. The other formats have the same limit, for simplicity. */
export const MAX_COLUMNS = 16_384;
/** Characters of all names of columns. A path repeats the names of its parents, so a small document can have long ones. */
const MAX_NAME_CHARS = 1_000_000;

export interface Column {
  /** Name of a field, or with `flatten` the dotted path of a nested one. */
  name: string;
  /** Null if all values are null. */
  type: ColumnType | null;
}

interface Node {
  /** Place among the columns, or -1 if only fields below it are columns. */
  index: number;
  children: Map<string, Node>;
}

/**
 * The columns of a table, and the way from a document to its row. The columns are either given, or found by calling
 * `scan` with every document.
 */
export class ColumnSet {
  readonly columns: Column[] = [];
  readonly #names = new Set<string>();
  #nameChars = 0;
  readonly #root: Node = { index: -1, children: new Map() };

  /**
   * @param flattens whether the fields of nested objects are columns. Otherwise such an object is one cell.
   * @param given the dotted paths of the columns; null to find them. A value at such a path is one cell.
   * @param declared the columns whose types the source knows.
   */
  constructor(
    private readonly flattens: boolean,
    private readonly given: string[] | null,
    private readonly declared: DeclaredColumns = new Map(),
  ) {
    for (const name of given ?? []) this.#add(name.split('.').reduce(childOf, this.#root), name);
  }

  /** Adds the columns of a document, without decoding its BSON. @throws {ApiError} 413 for too many columns. */
  scan(document: StoredDocument): void {
    if (this.given) return;
    if (isBytes(document)) this.#findInBson(document, this.#root, '');
    else this.#find(document, this.#root, '');
  }

  /** Adds the columns of a document, and the types of its values. @throws {ApiError} 413 for too many columns. */
  scanTypes(document: Fields): void {
    this.scan(document);
    for (const [index, value] of this.row(document).entries()) {
      const column = this.columns[index];
      if (column) column.type = this.#typeWith(column, value);
    }
  }

  /**
   * Returns the document's values in the order of the columns; null for fields that it lacks.
   * @throws {ApiError} 409 for a field that did not exist during the scan.
   */
  row(document: Fields): unknown[] {
    const row = new Array<unknown>(this.columns.length).fill(null);
    this.#fill(row, document, this.#root, '');
    return row;
  }

  /** Returns the type of a column with one more value. A declared type holds as long as all values have its form. */
  #typeWith({ name, type }: Column, value: unknown): ColumnType | null {
    const declared = this.declared.get(name);
    if (!declared) return commonType(type, value);
    if (type === 'text' || value === null || value === undefined) return type;
    return convertDeclared(value, declared) === undefined ? 'text' : declared.type;
  }

  #find(fields: Fields, parent: Node, prefix: string): void {
    for (const name of Object.keys(fields)) {
      const node = childOf(parent, name);
      const value = this.#opened(fields[name], node);
      if (this.#hasColumns(value, node)) this.#find(value, node, `${prefix}${name}.`);
      else if (node.index < 0) this.#add(node, prefix + name);
    }
  }

  #findInBson(bytes: Uint8Array, parent: Node, prefix: string): void {
    for (const [name, object] of namesIn(bytes)) {
      const node = childOf(parent, name);
      if (object && this.flattens) this.#findInBson(object, node, `${prefix}${name}.`);
      else if (node.index < 0) this.#add(node, prefix + name);
    }
  }

  #fill(row: unknown[], fields: Fields, parent: Node, prefix: string, isInJson = false): void {
    for (const name of Object.keys(fields)) {
      const stored = fields[name];
      const isJson = isInJson || stored instanceof JsonText;
      const node = parent.children.get(name);
      const value = node && this.#opened(stored, node);
      if (!node) {
        if (!this.given) throw changed(prefix + name);
      } else if (this.#hasColumns(value, node)) this.#fill(row, value, node, `${prefix}${name}.`, isJson);
      else if (node.index >= 0) row[node.index] = isJson ? cellOfJson(value, stored) : value;
      else if (!this.given) throw changed(prefix + name);
      else if (Array.isArray(value)) fillFromList(row, value, node, isJson);
    }
  }

  /** Parses JSON of PostgreSQL, unless it is one cell whatever its value is. */
  #opened(value: unknown, node: Node): unknown {
    return value instanceof JsonText && (this.flattens || node.index < 0) ? value.value : value;
  }

  /** Returns whether the fields of a value have columns of their own. */
  #hasColumns(value: unknown, node: Node): value is Fields {
    if (!isObject(value)) return false;
    if (this.given) return node.index < 0;
    // An empty object has no fields, so it needs a cell of its own.
    return this.flattens && Object.keys(value).length > 0;
  }

  #add(node: Node, name: string): void {
    this.#nameChars += name.length;
    if (this.columns.length === MAX_COLUMNS || this.#nameChars > MAX_NAME_CHARS) throw tooManyColumns();
    node.index = this.columns.length;
    // A field named `a.b` and the field `b` of an object `a` are two columns.
    let free = name;
    for (let n = 2; this.#names.has(free); n += 1) free = `${name} (${n})`;
    this.#names.add(free);
    this.columns.push({ name: free, type: null });
  }
}

/** Returns the node of a field, and makes it if there is none. */
function childOf(parent: Node, name: string): Node {
  const known = parent.children.get(name);
  if (known) return known;
  const child: Node = { index: -1, children: new Map() };
  parent.children.set(name, child);
  return child;
}

/** Fills the columns below a list: the cell of `items.name` is the list of the names of all items. */
function fillFromList(row: unknown[], items: unknown[], node: Node, isJson: boolean): void {
  for (const [name, child] of node.children) {
    const values = items.flatMap(item => (isObject(item) && item[name] !== undefined ? item[name] : []));
    if (child.index >= 0) row[child.index] = isJson ? cellOfJson(values) : values;
    else fillFromList(row, values, child, isJson);
  }
}

/** Returns the cell of a value from JSON of PostgreSQL, of which `stored` may be the whole: objects and lists stay text. */
function cellOfJson(value: unknown, stored?: unknown): unknown {
  if (value instanceof ExactNumber) return value.plain;
  if (value === null || typeof value !== 'object' || value instanceof JsonText) return value;
  return stored instanceof JsonText ? stored : new JsonText(exactText(value));
}

/** Returns whether a value is an object with fields, and not a list, a date or another type of MongoDB. */
const isObject = (value: unknown): value is Fields =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  !types.isDate(value) &&
  !types.isRegExp(value) &&
  !(value instanceof ExactNumber) &&
  !isBson(value);

const UUID_SUBTYPE = 4;
const NUMBERS: ColumnType[] = ['integer', 'long', 'double'];

function commonType(known: ColumnType | null, value: unknown): ColumnType | null {
  if (known === 'text' || value === null || value === undefined) return known;
  const type = typeOf(value);
  if (known === null || known === type) return type;
  const both = [known, type];
  // A double would round a long.
  if (!both.every(one => NUMBERS.includes(one)) || (both.includes('long') && both.includes('double'))) return 'text';
  return both.includes('long') ? 'long' : 'double';
}

/** Returns the type of one value. */
export function typeOf(value: unknown): ColumnType {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'double';
  if (typeof value === 'boolean') return 'boolean';
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? 'text' : 'timestamp';
  if (typeof value !== 'object' || value === null || !isBson(value)) return 'text';
  if (value._bsontype === 'Long') return 'long';
  return value._bsontype === 'Binary' && (value as Binary).sub_type !== UUID_SUBTYPE ? 'bytes' : 'text';
}

export const changed = (name: string): ApiError =>
  new ApiError(
    'conflict',
    `The documents changed during the export: ${name.slice(0, 100)} is new or has a new type. Repeat the export, or name the fields to export.`,
  );

const tooManyColumns = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `The documents have more than ${MAX_COLUMNS} different fields, or more than ${MAX_NAME_CHARS} characters in their names, which are the limits for columns. Name the fields to export.`,
  );
