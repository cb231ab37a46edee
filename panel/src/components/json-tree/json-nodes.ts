import type { JsonValue } from '../../api/entities.js';

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface JsonNode {
  /** Key in the parent object or index in the parent array; null at the root. */
  name: string | null;
  kind: JsonKind;
  /** For a scalar: its JSON text. For an object or array: its number of children in brackets, such as `{ 3 }`, or `{}`. */
  text: string;
  /** Number of children; 0 for a scalar. */
  size: number;
  value: unknown;
}

const PREVIEW_CHARS = 70;

const kindOf = (value: unknown): JsonKind => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
};

export function toNode(name: string | null, value: unknown): JsonNode {
  const kind = kindOf(value);
  if (kind === 'array') {
    const size = (value as unknown[]).length;
    return { name, kind, text: size === 0 ? '[]' : `[ ${size} ]`, size, value };
  }
  if (kind === 'object') {
    const size = Object.keys(value as object).length;
    return { name, kind, text: size === 0 ? '{}' : `{ ${size} }`, size, value };
  }
  return { name, kind, text: JSON.stringify(value ?? null), size: 0, value };
}

/** Returns at most `limit` children of an object or array in their order, beginning with index `from`. */
export function childrenOf(node: JsonNode, from: number, limit: number): JsonNode[] {
  if (node.kind === 'array')
    return (node.value as unknown[])
      .slice(from, from + limit)
      .map((value, index) => toNode(String(from + index), value));
  if (node.kind === 'object')
    return Object.entries(node.value as object)
      .slice(from, from + limit)
      .map(([name, value]) => toNode(JSON.stringify(name), value));
  return [];
}

/** Parses JSON text; returns the value or the reason why it is not valid. */
export function parseJson(text: string): { value: JsonValue } | { error: string } {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const shortText = ({ kind, text }: JsonNode): string =>
  kind === 'string' && text.length > 26 ? `${text.slice(0, 24)}…"` : text;

/** Formats an object or array as one short line, such as `{ "title": "Salt", "price": 9, … }`. */
export function previewOf(node: JsonNode): string {
  const [open, close] = node.kind === 'array' ? ['[', ']'] : ['{', '}'];
  const parts: string[] = [];
  let chars = 0;
  for (const child of childrenOf(node, 0, 10)) {
    const part = node.kind === 'array' ? shortText(child) : `${child.name}: ${shortText(child)}`;
    chars += part.length;
    if (parts.length > 0 && chars > PREVIEW_CHARS) break;
    parts.push(part);
  }
  if (parts.length < node.size) parts.push('…');
  return `${open} ${parts.join(', ')} ${close}`;
}
