import type { Place } from './graded-page.js';
import { riskOf } from './handles.js';
import type { PageElement } from './page-elements.js';

/** A selector of up to three simple ones, the outermost first, and where its elements have the value. */
export interface Candidate {
  handles: string[];
  place: Place;
  risk: number;
}

const MAX_OUTER = 8;
const MAX_INNER = 6;
const OUTER_HANDLES = 2;
/** The risk of a handle that selects by what an element is for. */
const DURABLE = 2;
const RISK_OF_LEVEL = 0.5;
/** Skripts read texts more often than attributes. */
const RISK_OF_ATTRIBUTE = 4;

/** Returns selectors that match an element, from one level to three. */
export function candidatesFor(element: PageElement, place: Place): Candidate[] {
  const { name } = element;
  const durable = element.handles.filter(handle => riskOf(handle) <= DURABLE).slice(0, MAX_INNER);
  const nth = element.handles.at(-1) as string | undefined;
  if (nth === undefined) return [];
  const selectors: string[][] = [...durable.map(handle => [handle]), [name]];
  let outer = element.parent;
  for (let level = 0; outer && level < MAX_OUTER; level++, outer = outer.parent) {
    for (const handle of outerHandles(outer)) {
      for (const inner of [...durable, name, nth]) selectors.push([handle, inner]);
      const between = element.parent?.handles.at(-1);
      if (between === undefined || element.parent === outer) continue;
      selectors.push([handle, between, durable[0] ?? name], [handle, between, nth]);
    }
  }
  return selectors.map(handles => ({
    handles,
    place,
    risk: riskOfAll(handles) + (place === null ? 0 : RISK_OF_ATTRIBUTE),
  }));
}

const outerHandles = ({ handles }: PageElement): string[] =>
  handles.filter(handle => riskOf(handle) < 5).slice(0, OUTER_HANDLES);

const riskOfAll = (handles: string[]): number =>
  handles.reduce((sum, handle) => sum + riskOf(handle), (handles.length - 1) * RISK_OF_LEVEL);
