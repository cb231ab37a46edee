import { type Candidate, candidatesFor } from './candidates.js';
import { type GradedPage, valueIn } from './graded-page.js';
import type { PageElement } from './page-elements.js';

/** A selector that may find the values of a field. */
export interface SuggestedSelector {
  selector: string;
  /** The attribute that has the value; null if it is the text. */
  attribute: string | null;
  /** Number of pages on which most of its elements have the shape of the old values. */
  pages: number;
  /** The first value that it finds. */
  example: string;
}

export interface FoundSelector {
  suggestion: SuggestedSelector;
  /** The elements that it selects on each page. */
  elements: PageElement[][];
  /** How many of them have exactly what is sought. */
  same: number;
}

const MAX_SUGGESTIONS = 3;
/** Elements of a page from which selectors are made. */
const MAX_HITS = 60;
/** Selectors that are collected, and those that are tried on all pages. */
const MAX_COLLECTED = 20_000;
const MAX_TRIED = 400;
/** Steps after which no more selectors are tried: about a second. */
const MAX_STEPS = 5_000_000;
const MAX_EXAMPLE_CHARS = 100;
/** Share of a selector's elements that must have the shape. */
const LEAST_SHARE = 0.5;

interface Tally extends Candidate {
  pages: number;
  same: number;
  hits: number;
  lastPage: number;
}

interface Result extends Candidate {
  pages: number;
  matches: number;
  same: number;
  like: number;
  /** Length of the texts that have the shape. */
  chars: number;
}

/**
 * Finds the selectors that give what is sought on graded pages: at most three, the best first.
 *
 * @param fields whose names are likely in the selector
 */
export function searchSelectors(pages: readonly GradedPage[], fields: readonly string[]): FoundSelector[] {
  const budget = { steps: MAX_STEPS };
  const results = mostPromising(pages)
    .map(candidate => tryOut(candidate, pages, budget))
    .filter(({ pages: count, like, matches }) => count > 0 && like >= matches * LEAST_SHARE);
  return differentOnes(ranked(results, fields), pages);
}

/** Collects selectors of the elements that have a value. */
function mostPromising(pages: readonly GradedPage[]): Candidate[] {
  const tallies = new Map<string, Tally>();
  for (const [number, { hits }] of pages.entries()) {
    const chosen = [...hits.filter(isSame), ...hits.filter(hit => !isSame(hit))].slice(0, MAX_HITS);
    for (const { element, place, grade } of chosen) {
      for (const candidate of candidatesFor(element, place)) {
        const key = `${candidate.handles.join(' ')}\n${place ?? ''}`;
        let tally = tallies.get(key);
        if (!tally) {
          if (tallies.size >= MAX_COLLECTED) continue;
          tally = { ...candidate, pages: 0, same: 0, hits: 0, lastPage: -1 };
          tallies.set(key, tally);
        }
        if (tally.lastPage !== number) tally.pages++;
        tally.lastPage = number;
        tally.hits++;
        if (grade === 'same') tally.same++;
      }
    }
  }
  return [...tallies.values()]
    .sort(
      (a, b) =>
        b.same - a.same || b.pages - a.pages || a.risk - b.risk || compare(a.handles.join(' '), b.handles.join(' ')),
    )
    .slice(0, MAX_TRIED);
}

const isSame = ({ grade }: { grade: string }): boolean => grade === 'same';

/** Counts what a selector gives on all pages. */
function tryOut(candidate: Candidate, pages: readonly GradedPage[], budget: { steps: number }): Result {
  const result: Result = { ...candidate, pages: 0, matches: 0, same: 0, like: 0, chars: 0 };
  for (const page of pages) {
    if (budget.steps <= 0) break;
    let matches = 0;
    let like = 0;
    for (const element of selected(candidate, page, budget)) {
      matches++;
      const grade = page.gradeOf(element, candidate.place);
      if (!grade) continue;
      like++;
      result.chars += valueIn(element, candidate.place)?.length ?? 0;
      if (grade === 'same') result.same++;
    }
    result.matches += matches;
    result.like += like;
    if (like > 0 && like >= matches * LEAST_SHARE) result.pages++;
  }
  return result;
}

function selected({ handles }: Candidate, { page }: GradedPage, budget: { steps: number }): PageElement[] {
  const outer = handles.slice(0, -1);
  return page.matching(handles.at(-1) as string).filter(element => {
    let missing = outer.length;
    let ancestor = element.parent;
    for (; ancestor && missing > 0; ancestor = ancestor.parent) {
      budget.steps--;
      if (ancestor.handles.includes(outer[missing - 1] as string)) missing--;
    }
    budget.steps--;
    return missing === 0;
  });
}

/** The best ones first: they give the old values, nothing else, on many pages, and will survive changes. */
function ranked(results: Result[], fields: readonly string[]): Result[] {
  const most = (count: (result: Result) => number): number =>
    results.reduce((max, result) => Math.max(max, count(result)), 1);
  const pages = most(result => result.pages);
  const same = most(result => result.same);
  const like = most(result => result.like);
  // The texts of rows may be too long to be kept.
  const meanChars = ({ chars, like: count }: Result): number => Math.max(1, chars / count);
  const texts = results.filter(({ place }) => place === null).map(meanChars);
  const tightest = texts.reduce((min, chars) => Math.min(min, chars), Number.POSITIVE_INFINITY);
  const excess = (result: Result): number => (result.place === null ? 1 - tightest / meanChars(result) : 0);
  const names = fields.map(field => (field.split('.').at(-1) ?? '').toLowerCase()).filter(name => name !== '');
  const isNamed = ({ handles }: Result): boolean => {
    const last = handles.at(-1)?.toLowerCase() ?? '';
    return names.some(name => last.includes(name));
  };
  const score = (result: Result): number =>
    (2 * result.same + result.like) / result.matches +
    result.pages / pages +
    (0.5 * result.same) / same +
    (0.25 * result.like) / like +
    (isNamed(result) ? 0.2 : 0) -
    excess(result) -
    0.05 * result.risk;
  return results
    .map(result => ({ result, score: score(result) }))
    .sort((a, b) => b.score - a.score || compare(a.result.handles.join(' '), b.result.handles.join(' ')))
    .map(({ result }) => result);
}

/** Leaves out selectors that give nothing but what a better one gives. */
function differentOnes(results: Result[], pages: readonly GradedPage[]): FoundSelector[] {
  /** For each suggestion, the elements that it selects and all that contain them, and their texts. */
  const better: { covered: Set<PageElement>; texts: string }[] = [];
  const suggestions: FoundSelector[] = [];
  const budget = { steps: MAX_STEPS };
  const [best] = results;
  for (const result of results) {
    // If one gives the old values, others that only give what looks like them are wrong.
    if (best && shareOfSame(result) < shareOfSame(best) / 2) continue;
    if (suggestions.length >= MAX_SUGGESTIONS || budget.steps <= 0) break;
    const found = pages.map(page => selected(result, page, budget));
    const elements = found.flat();
    const texts = JSON.stringify(elements.map(({ text }) => text));
    if (better.some(one => one.texts === texts || elements.every(element => one.covered.has(element)))) continue;
    const covered = new Set(elements);
    for (const { parent } of covered) if (parent) covered.add(parent);
    better.push({ covered, texts });
    const suggestion = {
      selector: result.handles.join(' '),
      attribute: result.place,
      pages: result.pages,
      example: exampleOf(result, pages, found),
    };
    suggestions.push({ suggestion, elements: found, same: result.same });
  }
  return suggestions;
}

const shareOfSame = ({ same, matches }: Result): number => same / matches;

function exampleOf({ place }: Result, pages: readonly GradedPage[], found: PageElement[][]): string {
  for (const [number, page] of pages.entries()) {
    const element = found[number]?.find(one => page.gradeOf(one, place) !== null);
    if (element) return (valueIn(element, place) ?? '').slice(0, MAX_EXAMPLE_CHARS);
  }
  return '';
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
