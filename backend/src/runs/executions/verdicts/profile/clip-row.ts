import { endOfName, sizeOf, viewOf } from './bson-elements.js';

/** Texts keep so many bytes; fewer if the row is still too large. */
const TEXT_BYTES = [100, 30] as const;
/** Bytes of a text's length and its NUL. */
const TEXT_FRAME = 5;
const VALUE_BYTES = 100;
const LIST_ITEMS = 3;
const MAX_DEPTH = 4;
/** Elements of an object that are looked at. */
const MAX_ELEMENTS = 400;
/** So many fields tell which row it is, with those that the platform sets. They come before others. */
const NAMING = 6;
const [TEXT, OBJECT, LIST] = [0x02, 0x03, 0x04] as const;
/** Bytes of an object without elements. */
const NO_ELEMENTS = 5;
const ELLIPSIS = Buffer.from('…');

/** A row of a run, shortened if it is large. */
export interface ClippedRow {
  bytes: Uint8Array;
  /** Whether it lacks fields of the row. */
  lacksFields: boolean;
}

interface Choice {
  /** Paths of fields that are kept before others. */
  wanted: readonly string[];
  /** Where among its fields a row begins that lacks some. So several rows together show all fields. */
  turn: number;
}

interface Element {
  type: number;
  /** Where its name begins. */
  nameAt: number;
  valueAt: number;
  to: number;
}

/** Copies a row: well-formed BSON. If it is large, cuts its texts and lists, and then leaves out fields. */
export function clipRow(bytes: Buffer, from: number, to: number, maxBytes: number, choice: Choice): ClippedRow {
  if (to - from <= maxBytes) return { bytes: Uint8Array.prototype.slice.call(bytes, from, to), lacksFields: false };
  const [roomy, tight] = TEXT_BYTES;
  const cut = new RowCutter(bytes, roomy).object(from, maxBytes, choice);
  return cut.lacksFields ? new RowCutter(bytes, tight).object(from, maxBytes, choice) : cut;
}

class RowCutter {
  readonly #view: DataView;

  constructor(
    private readonly bytes: Buffer,
    private readonly textBytes: number,
  ) {
    this.#view = viewOf(bytes);
  }

  /** @param room bytes that the object may have */
  object(from: number, room: number, { wanted, turn }: Choice, depth = 1): ClippedRow {
    const elements = elementsOf(this.#view, from, MAX_ELEMENTS);
    const kept: { nameAt: number; bytes: Uint8Array }[] = [];
    let size = NO_ELEMENTS;
    let lacksFields = elements.length === MAX_ELEMENTS;
    for (const element of this.#inOrder(elements, { wanted, turn }, depth)) {
      const part = this.#element(element, room - size, wanted, depth);
      lacksFields ||= part === null || part.lacksFields;
      if (!part) continue;
      size += part.bytes.length;
      kept.push({ nameAt: element.nameAt, bytes: part.bytes });
    }
    kept.sort((a, b) => a.nameAt - b.nameAt);
    return { bytes: document(kept.map(part => part.bytes)), lacksFields };
  }

  #inOrder(elements: Element[], { wanted, turn }: Choice, depth: number): Element[] {
    const naming = depth === 1 ? elements.slice(0, NAMING) : [];
    const others = elements.slice(naming.length);
    const from = others.length === 0 ? 0 : turn % others.length;
    const isWanted = (element: Element) => inside(wanted, this.#name(element)) !== null;
    const inTurn = [...others.slice(from), ...others.slice(0, from)];
    if (wanted.length === 0) return [...naming, ...inTurn];
    return [...naming, ...inTurn.filter(isWanted), ...inTurn.filter(element => !isWanted(element))];
  }

  /** Returns null if there is no room for the element. */
  #element(element: Element, room: number, wanted: readonly string[], depth: number): ClippedRow | null {
    const { type, nameAt, valueAt, to } = element;
    const from = nameAt - 1;
    const isDeep = type === OBJECT || type === LIST;
    if (!isDeep && to - valueAt <= (type === TEXT ? this.textBytes + TEXT_FRAME : VALUE_BYTES)) {
      // Most values are short, and a row has many: do not copy them twice.
      return to - from > room ? null : { bytes: this.bytes.subarray(from, to), lacksFields: false };
    }
    const value = this.#longValue(element, room - (valueAt - from), wanted, depth);
    if (!value || valueAt - from + value.bytes.length > room) return null;
    return { bytes: Buffer.concat([this.bytes.subarray(from, valueAt), value.bytes]), lacksFields: value.lacksFields };
  }

  #longValue(element: Element, room: number, wanted: readonly string[], depth: number): ClippedRow | null {
    const { type, valueAt, to } = element;
    if (type === TEXT) return { bytes: this.#text(valueAt), lacksFields: false };
    if ((type !== OBJECT && type !== LIST) || depth >= MAX_DEPTH) return null;
    const below = { wanted: inside(wanted, this.#name(element)) ?? [], turn: 0 };
    const cut = type === LIST ? this.#list(valueAt, room, depth) : this.object(valueAt, room, below, depth + 1);
    // An object without fields would look like one that has no value.
    return cut.bytes.length === NO_ELEMENTS && to - valueAt > NO_ELEMENTS ? null : cut;
  }

  #text(from: number): Uint8Array {
    let end = from + 4 + this.textBytes;
    // A character of several bytes stays whole.
    while (((this.bytes[end] as number) & 0xc0) === 0x80) end--;
    const text = [this.bytes.subarray(from + 4, end), ELLIPSIS, Buffer.alloc(1)];
    const length = Buffer.alloc(4);
    length.writeInt32LE(text.reduce((sum, part) => sum + part.length, 0));
    return Buffer.concat([length, ...text]);
  }

  /** The first items, as many as there is room for. */
  #list(from: number, room: number, depth: number): ClippedRow {
    const items: Uint8Array[] = [];
    let size = NO_ELEMENTS;
    for (const element of elementsOf(this.#view, from, LIST_ITEMS)) {
      const item = this.#element(element, room - size, [], depth + 1);
      if (!item) break;
      size += item.bytes.length;
      items.push(item.bytes);
    }
    return { bytes: document(items), lacksFields: false };
  }

  #name({ nameAt, valueAt }: Element): string {
    return this.bytes.toString('utf8', nameAt, valueAt - 1);
  }
}

/** Returns the paths below a name; null if none begins with it. */
function inside(paths: readonly string[], name: string): string[] | null {
  const found = paths.filter(path => path === name || path.startsWith(`${name}.`));
  return found.length === 0 ? null : found.map(path => path.slice(name.length + 1));
}

function elementsOf(view: DataView, from: number, most: number): Element[] {
  const elements: Element[] = [];
  const end = from + view.getInt32(from, true) - 1;
  for (let at = from + 4; at < end && elements.length < most; ) {
    const type = view.getUint8(at);
    const valueAt = endOfName(view, at + 1) + 1;
    const to = valueAt + sizeOf(view, type, valueAt);
    elements.push({ type, nameAt: at + 1, valueAt, to });
    at = to;
  }
  return elements;
}

/** Returns BSON with these elements. */
function document(elements: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(NO_ELEMENTS + elements.reduce((sum, { length }) => sum + length, 0));
  new DataView(all.buffer).setInt32(0, all.length, true);
  let at = 4;
  for (const element of elements) {
    all.set(element, at);
    at += element.length;
  }
  return all;
}
