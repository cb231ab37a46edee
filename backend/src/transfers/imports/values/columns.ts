import { invalid } from '../../../data/storage/values/extended-json.js';
import { MAX_DEPTH } from '../../../data/storage/values/operators.js';
import { ApiError } from '../../../platform/common/errors.js';
import { UNSAVED_FORMULA, UNSAVED_FORMULA_REASON } from '../parsing/xlsx/unsaved-formula.js';
import {
  CELL_TYPES,
  type CellType,
  type DecimalMark,
  fitsGuess,
  guessType,
  notAsGuessed,
  parserOf,
} from './cell-types.js';
import { type Cell, storedValue, textOf, typeOfCell } from './cells.js';

type Fields = Record<string, unknown>;

/** Where the cells of a column go. */
export interface Column {
  /** Position in the file, from 0. */
  index: number;
  /** Name of the field in the documents. A dot leads into an object: `address.city`. */
  field: string;
  type: CellType;
  /** Whether Trawl has guessed the type from the first rows. Then a later cell must fit the guess, rather than be converted. */
  guessed?: true;
}

/** Names that MongoDB's driver or JavaScript reads in a way of its own. */
const RESERVED = new Set(['_bsontype', '__proto__']);

/**
 * Suggests a column for each name of the header: its field and the type of the cells in `sample`. Names that MongoDB
 * refuses or that occur twice are changed.
 * @param declared the types that the file declares.
 */
export function suggestColumns(names: string[], sample: Cell[][], mark?: DecimalMark, declared?: CellType[]): Column[] {
  const taken = new FieldTree();
  /** The last number that was added to each name. */
  const counts = new Map<string, number>();
  return names.map((name, index) => {
    const wished = fieldFor(name, index);
    // If `a` is taken, `a.b` becomes `a_b`.
    const free = taken.problem(wished) && wished.includes('.') ? wished.replaceAll('.', '_') : wished;
    let field = free;
    let count = counts.get(free) ?? 1;
    while (taken.problem(field)) {
      count += 1;
      field = `${free}_${count}`;
    }
    counts.set(free, count);
    taken.add(field);
    const cells = sample.map(row => row[index]).filter(cell => cell !== UNSAVED_FORMULA);
    const type = declared?.[index];
    return { index, field, ...(type ? { type } : { type: guessCellType(field, cells, mark), guessed: true }) };
  });
}

/** A column with cells of several types is text, because that fits all of them. */
function guessCellType(field: string, cells: Cell[], mark?: DecimalMark): CellType {
  const types = new Set(cells.filter(cell => cell !== undefined && cell !== '').map(typeOfCell));
  const [type] = types;
  if (types.size > 1) return 'text';
  return type ?? guessType(field, cells.map(textOf), mark);
}

function fieldFor(name: string, index: number): string {
  const clean = name
    .replaceAll('\0', '')
    .trim()
    .replace(/(^|\.)\$+/g, '$1');
  if (clean === '') return `column_${index + 1}`;
  const parts = clean.split('.');
  const isPath = parts.every(part => part !== '' && !RESERVED.has(part)) && parts.length < MAX_DEPTH;
  if (isPath && (parts.length === 1 || parts[0] !== '_id')) return clean;
  const flat = clean.replaceAll('.', '_');
  return RESERVED.has(flat) ? `${flat}_` : flat;
}

/**
 * Checks the columns of a request.
 * @param suggested the columns of the file. They decide the types that the request leaves out.
 * @throws {ApiError} 400 naming the faulty field.
 */
export function checkColumns(sent: unknown, suggested: Column[]): Column[] {
  const width = suggested.length;
  if (!Array.isArray(sent) || sent.length === 0) throw invalid('columns', 'must be a list of at least one column');
  if (sent.length > width) throw invalid('columns', `has ${sent.length} columns; the file has ${width}`);
  const taken = new FieldTree();
  const indexes = new Set<number>();
  return sent.map((column: Partial<Column> | null, at) => {
    const { index, field, type, ...others } = (column ?? {}) as Column;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(`columns.${at}`, `has an unknown field ${unknown.slice(0, 100)}`);
    if (!Number.isInteger(index) || index < 0 || index >= width || indexes.has(index)) {
      throw invalid(`columns.${at}.index`, `must be a whole number from 0 to ${width - 1} that no other column has`);
    }
    if (type !== undefined && !CELL_TYPES.includes(type))
      throw invalid(`columns.${at}.type`, `must be one of ${CELL_TYPES.join(', ')}`);
    const problem = typeof field === 'string' ? (nameProblem(field) ?? taken.problem(field)) : 'must be text';
    if (problem) throw invalid(`columns.${at}.field`, problem);
    indexes.add(index);
    taken.add(field);
    return type === undefined ? { ...(suggested[index] as Column), field } : { index, field, type };
  });
}

/** Explains why documents cannot have this field; undefined for a valid name. */
export function nameProblem(field: string): string | undefined {
  const parts = field.split('.');
  if (parts.length >= MAX_DEPTH) return `must have fewer than ${MAX_DEPTH} parts`;
  if (parts.some(part => part === '' || part.startsWith('$') || part.includes('\0'))) {
    return 'must have a name before and after each dot, without a $ at its beginning or a NUL character';
  }
  if (parts.some(part => RESERVED.has(part))) return `must not be ${[...RESERVED].join(' or ')}`;
  return parts.length > 1 && parts[0] === '_id' ? 'must not lead into _id' : undefined;
}

/** The fields that are taken. A field cannot be a value and an object at the same time. */
class FieldTree {
  readonly #fields = new Set<string>();
  readonly #parents = new Set<string>();

  problem(field: string): string | undefined {
    if (this.#fields.has(field)) return 'is the field of another column';
    if (this.#parents.has(field)) return 'is an object, because a field below it has a column';
    return parentsOf(field).some(parent => this.#fields.has(parent))
      ? 'leads into a field that has a column of its own'
      : undefined;
  }

  add(field: string): void {
    this.#fields.add(field);
    for (const parent of parentsOf(field)) this.#parents.add(parent);
  }
}

/** Returns `a` and `a.b` for `a.b.c`. */
function parentsOf(field: string): string[] {
  const parts = field.split('.');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'));
}

/**
 * Returns a function that makes a document from the cells of a row. An empty text is no field if the type is another or the
 * field is `_id`. A cell without a value, which only other formats than CSV have, is no field.
 * @throws {ApiError} 400 from that function, naming the field.
 */
export function documentMaker(columns: Column[], mark?: DecimalMark): (cells: Cell[]) => Fields {
  const parsed = columns.map(({ index, field, type, guessed }) => {
    const parents = field.split('.');
    const convert = parserOf(type, mark);
    const parse = (text: string) => {
      const value = convert(text);
      if (guessed && text !== '' && !fitsGuess(type, text, mark)) throw notAsGuessed(text, type);
      return value;
    };
    return { index, field, type, name: parents.pop() as string, parents, parse };
  });
  return cells => {
    const document: Fields = {};
    for (const { index, field, type, name, parents, parse } of parsed) {
      const cell = cells[index];
      if (cell === undefined) continue;
      if (cell === UNSAVED_FORMULA) throw new ApiError('validation_failed', `${field}: ${UNSAVED_FORMULA_REASON}`);
      const isTyped = typeof cell !== 'string' && typeOfCell(cell) === type;
      const value = isTyped ? storedValue(cell as number) : parsedCell(parse, textOf(cell), field);
      if (value === undefined || (value === '' && field === '_id')) continue;
      let parent = document;
      for (const outer of parents) parent = objectIn(parent, outer);
      parent[name] = value;
    }
    return document;
  };
}

/** Every object inherits names such as `constructor`, so only its own fields count. */
function objectIn(parent: Fields, name: string): Fields {
  if (!Object.hasOwn(parent, name)) parent[name] = {};
  return parent[name] as Fields;
}

function parsedCell(parse: (text: string) => unknown, cell: string, field: string): unknown {
  try {
    return parse(cell);
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.code, `${field}: ${error.message}`) : error;
  }
}
