/** Attributes that authors set for machines; they survive a new design. */
const SEMANTIC = new Set(['itemprop', 'property', 'name', 'rel', 'role']);
/** Elements that say what they are for. */
const NAMED = new Set([
  'h1',
  'main',
  'article',
  'section',
  'aside',
  'header',
  'footer',
  'nav',
  'form',
  'table',
  'dl',
  'ul',
  'ol',
]);
const MAX_CLASSES = 8;
const MAX_VALUE_CHARS = 40;

const WORD = /^[A-Za-z_-][\w-]*$/;
const VALUE = /^[\w./: -]+$/;

/**
 * Returns simple selectors that match an element, the most durable ones first. It leaves out ids and classes that
 * a build tool or a database has made, because they change.
 *
 * @param nth the element's number among the siblings with its name
 */
export function handlesOf(name: string, attributes: Readonly<Record<string, string>>, nth: number): string[] {
  if (!WORD.test(name)) return [];
  const handles: string[] = [];
  for (const [attribute, value] of Object.entries(attributes)) {
    if (!WORD.test(attribute)) continue;
    const isData = attribute.startsWith('data-');
    if (!isData && !SEMANTIC.has(attribute)) continue;
    const isFixed = value.length <= MAX_VALUE_CHARS && VALUE.test(value) && !/\d/.test(value);
    if (isFixed) handles.push(`[${attribute}="${value}"]`);
    if (isData && !isGenerated(attribute.slice(5))) handles.push(`[${attribute}]`);
  }
  const { id, class: classes = '' } = attributes;
  if (id && WORD.test(id) && !/\d/.test(id) && !isGenerated(id)) handles.push(`#${id}`);
  for (const one of classes.split(/\s+/).slice(0, MAX_CLASSES)) {
    if (WORD.test(one) && one.length <= MAX_VALUE_CHARS && !isGenerated(one)) handles.push(`.${one}`);
  }
  handles.push(name, `${name}:nth-of-type(${nth})`);
  return handles;
}

/** How likely a simple selector is to break, from 1. */
export function riskOf(handle: string): number {
  if (handle.startsWith('[')) return handle.includes('=') ? 1 : 1.5;
  if (handle.startsWith('#')) return 1.5;
  if (handle.startsWith('.')) return 2;
  if (handle.includes(':')) return 6;
  return NAMED.has(handle) ? 4 : 5;
}

/** Tells whether a part of a name looks like a hash, such as in `css-1q2w3e`, `Price_box__3xY2z` and `sc-bdVaJa`. */
export function isGenerated(name: string): boolean {
  return name.split(/[-_]+/).some(part => isHash(part));
}

function isHash(part: string): boolean {
  if (part.length < 4) return false;
  if (/^\d{4,}$/.test(part)) return true;
  // `col12` and `h264` are words; digits in several places, or before letters, are not.
  if (/\d/.test(part) && /[A-Za-z]/.test(part)) return !/^[A-Za-z]+\d{1,3}$/.test(part);
  // `priceBox` has long words between its capitals; `bdVaJa` does not.
  const words = part.split(/(?=[A-Z])/);
  return words.length >= 3 && part.length / words.length < 2.5 && /[a-z]/.test(part);
}
