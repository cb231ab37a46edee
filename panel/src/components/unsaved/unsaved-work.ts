import { useEffect } from 'react';
import { inReadingOrder } from '../values/in-reading-order.js';

interface Work {
  /** True if another tab of the same page loses it, too. */
  isOfTab: boolean;
  /** Such as the names of files; empty if the page itself says enough. */
  names: readonly string[];
}

const NO_NAMES: readonly string[] = [];
const SHOWN_NAMES = 3;

/** One entry for each mounted component with unsaved work. */
const unsaved = new Map<symbol, Work>();

export const hasUnsavedWork = (): boolean => unsaved.size > 0;

/** True if another tab of the same page would lose work. */
export const hasWorkOfTab = (): boolean => [...unsaved.values()].some(({ isOfTab }) => isOfTab);

/** Says what is not saved, in a sentence. */
export function unsavedWords(): string {
  const names = [...unsaved.values()].flatMap(work => work.names);
  if (names.length === 0) return 'This page has unsaved changes.';
  const more = names.length - SHOWN_NAMES;
  const shown = names.slice(0, SHOWN_NAMES).map(inReadingOrder).join(', ');
  return `Not saved: ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/**
 * While `isDirty` is true, the panel asks before an action loses this component's work: following a link, going back,
 * signing out, or closing the browser tab.
 *
 * @param isOfTab true if another tab of the same page unmounts the component
 * @param names what is not saved, such as the names of files
 */
export function useUnsavedWork(isDirty: boolean, isOfTab = false, names = NO_NAMES): void {
  useEffect(() => {
    if (!isDirty) return;
    const work = Symbol('unsaved work');
    unsaved.set(work, { isOfTab, names });
    window.addEventListener('beforeunload', warn);
    return () => {
      unsaved.delete(work);
      if (unsaved.size === 0) window.removeEventListener('beforeunload', warn);
    };
  }, [isDirty, isOfTab, names]);
}
