import { useEffect } from 'react';

/** One entry for each mounted component with unsaved work. True if another tab of the same page loses it, too. */
const unsaved = new Map<symbol, boolean>();

export const hasUnsavedWork = (): boolean => unsaved.size > 0;

/** True if another tab of the same page would lose work. */
export const hasWorkOfTab = (): boolean => [...unsaved.values()].includes(true);

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/**
 * While `isDirty` is true, the panel asks before an action loses this component's work: following a link, going back,
 * signing out, or closing the browser tab.
 *
 * @param isOfTab true if another tab of the same page unmounts the component
 */
export function useUnsavedWork(isDirty: boolean, isOfTab = false): void {
  useEffect(() => {
    if (!isDirty) return;
    const work = Symbol('unsaved work');
    unsaved.set(work, isOfTab);
    window.addEventListener('beforeunload', warn);
    return () => {
      unsaved.delete(work);
      if (unsaved.size === 0) window.removeEventListener('beforeunload', warn);
    };
  }, [isDirty, isOfTab]);
}
