import { endOfName, isNamed, sizeOf, viewOf } from './bson-elements.js';
import type { ExampleBudget } from './example-rows.js';
import { FieldProfile, type FieldSummary, TYPE } from './field-profile.js';
import { FigureMemory } from './figure-memory.js';
import { hashOfValue, mixed } from './hashes.js';

/** How many fields and examples, and how much memory, the profile of a run may still use. */
export interface FieldBudget extends ExampleBudget {
  fields: number;
  memory: FigureMemory;
}

/** The figures of 200 fields take 63 KB, unless fields have both numbers and texts. Then the last ones lack some figures. */
export const newBudget = (): FieldBudget => ({
  fields: 200,
  memory: new FigureMemory(64 * 1024),
  examples: 24,
});

const MAX_DEPTH = 4;
const MAX_NAME_BYTES = 80;
const NUL = Buffer.alloc(1);
/** Values of a row that are read. It bounds the time for a row with very many fields. */
const MAX_VALUES = 400;
/** Number of bytes at the start of a text that are looked at, to know whether it is blank. */
const BLANK_BYTES = 48;

/** A name in an object of the rows, with what is inside it. */
interface Name {
  /** The first bytes of it, with NUL. */
  bytes: DataView;
  path: string;
  field: FieldProfile | undefined;
  inside: Names | undefined;
}

/** The names that objects at one place of the rows have, in the order in which they came. */
class Names {
  readonly list: Name[] = [];
  readonly byText = new Map<string, Name>();
}

/** Reads the fields of rows from their BSON, without building values. */
export class RowFields {
  readonly #names = new Names();
  readonly #fields: FieldProfile[] = [];
  readonly #reserved: DataView[];
  #hasMore = false;
  #valuesLeft = 0;
  /** The number of values that were read. */
  valuesRead = 0;
  #row = 0;
  #isTelling = false;

  constructor(
    reserved: readonly string[],
    private readonly budget: FieldBudget,
  ) {
    this.#reserved = reserved.map(name => viewOf(Buffer.from(`${name}\0`)));
  }

  /** Returns where the user's own fields begin: behind those that the platform has set first, in the order of `reserved`. */
  start(view: DataView, from: number, to: number): number {
    let at = from + 4;
    for (const name of this.#reserved) {
      if (at >= to - 1 || !isNamed(view, at + 1, name)) continue;
      const value = at + 1 + name.byteLength;
      at = value + sizeOf(view, view.getUint8(at), value);
    }
    return at;
  }

  /**
   * Reads the elements between `from` and the end of the row. Returns null if enough rows before it are like it: the same
   * fields have values, of the same types. If not, returns the paths of fields without a value that are new.
   */
  read(view: DataView, from: number, to: number): string[] | null {
    this.#row++;
    this.#isTelling = false;
    this.#valuesLeft = MAX_VALUES;
    this.#readObject(view, from, to - 1, this.#names, '', 1);
    this.valuesRead += MAX_VALUES - Math.max(0, this.#valuesLeft);
    const isCut = this.#valuesLeft < 0;
    if (isCut) for (const field of this.#fields) field.addCutRow(this.#row);
    const empty = isCut ? [] : this.#fields.filter(field => field.isEmptyIn(this.#row));
    return this.#isTelling || empty.length > 0 ? empty.map(({ path }) => path) : null;
  }

  summary(rows: number): { summaries: FieldSummary[]; hasMore: boolean } {
    return { summaries: this.#fields.map(field => field.summary(rows)), hasMore: this.#hasMore };
  }

  #readObject(view: DataView, from: number, end: number, names: Names, prefix: string, depth: number): void {
    let expected = 0;
    for (let at = from; at < end; ) {
      if (this.#valuesLeft-- <= 0) {
        this.#hasMore = true;
        return;
      }
      const type = view.getUint8(at);
      const nameFrom = at + 1;
      let name = names.list[expected];
      let valueFrom: number;
      if (name !== undefined && isNamed(view, nameFrom, name.bytes)) {
        valueFrom = nameFrom + name.bytes.byteLength;
      } else {
        const nameEnd = endOfName(view, nameFrom);
        valueFrom = nameEnd + 1;
        name = this.#nameOf(view, nameFrom, nameEnd, names, prefix);
        if (name) expected = names.list.indexOf(name);
      }
      expected++;
      const size = sizeOf(view, type, valueFrom);
      if (name?.field) this.#add(name.field, view, type, valueFrom, size);
      if (name && type === 0x03 && depth < MAX_DEPTH) {
        name.inside ??= new Names();
        this.#readObject(view, valueFrom + 4, valueFrom + size - 1, name.inside, `${name.path}.`, depth + 1);
      }
      at = valueFrom + size;
    }
  }

  /** Finds or adds a name. Returns undefined if there are too many. */
  #nameOf(view: DataView, from: number, to: number, names: Names, prefix: string): Name | undefined {
    const isLong = to - from > MAX_NAME_BYTES;
    const bytes = Buffer.from(view.buffer, view.byteOffset + from, Math.min(to - from, MAX_NAME_BYTES));
    const text = bytes.toString() + (isLong ? '…' : '');
    const known = names.byText.get(text);
    if (known) return known;
    if (this.budget.fields-- <= 0) {
      this.#hasMore = true;
      return;
    }
    const path = prefix + text;
    const field = new FieldProfile(path, this.budget.memory);
    this.#fields.push(field);
    const name: Name = {
      bytes: viewOf(Buffer.concat([bytes, NUL])),
      path,
      field,
      inside: undefined,
    };
    names.byText.set(text, name);
    names.list.push(name);
    return name;
  }

  #add(field: FieldProfile, view: DataView, type: number, from: number, size: number): void {
    field.reachedRow = this.#row;
    switch (type) {
      case 0x01: {
        const value = view.getFloat64(from, true);
        // A price that could not be read is NaN, which is no value.
        if (!Number.isNaN(value))
          this.#note(field, TYPE.number, hashOfValue(view, from, 8), Number.isFinite(value) ? value : Number.NaN);
        return;
      }
      case 0x02:
        // Texts end with NUL. Empty texts are no values.
        if (size > 5 && !isBlank(view, from + 4, size - 5)) {
          this.#note(field, TYPE.text, hashOfValue(view, from + 4, size - 5), size - 5);
        }
        return;
      case 0x03:
        if (size > 5) this.#note(field, TYPE.object, 0, Number.NaN);
        return;
      case 0x04:
        if (size > 5) this.#note(field, TYPE.list, hashOfValue(view, from, size), Number.NaN);
        return;
      case 0x08:
        this.#note(field, TYPE.boolean, mixed(1 + view.getUint8(from)), Number.NaN);
        return;
      case 0x09:
        this.#note(field, TYPE.date, hashOfValue(view, from, 8), Number.NaN);
        return;
      case 0x0a:
      case 0x06:
        return;
      case 0x10:
        this.#note(field, TYPE.number, hashOfValue(view, from, 4), view.getInt32(from, true));
        return;
      case 0x12:
        this.#note(
          field,
          TYPE.number,
          hashOfValue(view, from, 8),
          view.getInt32(from + 4, true) * 2 ** 32 + view.getUint32(from, true),
        );
        return;
      case 0x13:
        this.#note(field, TYPE.number, hashOfValue(view, from, 16), Number.NaN);
        return;
      default:
        this.#note(field, TYPE.other, hashOfValue(view, from, size), Number.NaN);
    }
  }

  #note(field: FieldProfile, type: number, hash: number, size: number): void {
    if (field.add(type, hash, size, this.#row)) this.#isTelling = true;
  }
}

function isBlank(view: DataView, from: number, length: number): boolean {
  const end = from + Math.min(length, BLANK_BYTES);
  for (let at = from; at < end; at++) if (view.getUint8(at) > 0x20) return false;
  return length <= BLANK_BYTES;
}
