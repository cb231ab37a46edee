import type { ListedPage } from '../../plugins/output/built-pages';

const SUGGESTED = 3;
/** Below this share of common pairs of letters, two addresses have nothing to do with each other. */
const MIN_LIKENESS = 0.3;

/** Returns the pages whose addresses are most like a path that does not exist, the most similar first. */
export function nearestPages(path: string, pages: ListedPage[]): ListedPage[] {
  return pages
    .map(page => ({ page, likeness: likeness(path, page.to) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, SUGGESTED)
    .map(({ page }) => page);
}

/** The share of common pairs of letters (Dice), of the whole address and of its last part, which says most. */
function likeness(one: string, other: string): number {
  return (dice(plain(one), plain(other)) + 2 * dice(lastPart(one), lastPart(other))) / 3;
}

const plain = (path: string): string =>
  decoded(path)
    .toLowerCase()
    .replace(/\.(html?|mdx?|php)$/, '');
const lastPart = (path: string): string => plain(path).replace(/\/+$/, '').split('/').at(-1) ?? '';

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function dice(one: string, other: string): number {
  const left = pairs(one);
  const right = pairs(other);
  const rest = [...right];
  const common = left.filter(pair => {
    const at = rest.indexOf(pair);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
  return (2 * common.length) / (left.length + right.length || 1);
}

const pairs = (text: string): string[] =>
  Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2));
