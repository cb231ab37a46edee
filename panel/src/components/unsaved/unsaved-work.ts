import { useEffect } from 'react';

/** One entry for each mounted component with unsaved work. */
const unsaved = new Set<symbol>();

export const hasUnsavedWork = (): boolean => unsaved.size > 0;

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/**
 * While `isDirty` is true, the panel asks before an action loses this component's work: following a link, going back,
 * signing out, or closing the browser tab.
 */
export function useUnsavedWork(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const work = Symbol('unsaved work');
    unsaved.add(work);
    window.addEventListener('beforeunload', warn);
    return () => {
      unsaved.delete(work);
      if (unsaved.size === 0) window.removeEventListener('beforeunload', warn);
    };
  }, [isDirty]);
}
