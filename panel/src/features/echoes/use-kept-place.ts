import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * While `isKept`, keeps an element at the same height of the window when something above it grows, such as the result of
 * a run. The browser does this only if the top of the window shows nothing that stays in its place.
 */
export function useKeptPlace(ref: RefObject<HTMLElement | null>, isKept: boolean): void {
  const pageTop = useRef<number | null>(null);
  // On each render, because what grows above renders together with the element.
  useLayoutEffect(() => {
    if (!isKept || !ref.current) {
      pageTop.current = null;
      return;
    }
    const { top, bottom } = ref.current.getBoundingClientRect();
    const before = pageTop.current;
    pageTop.current = top + window.scrollY;
    const grown = before === null ? 0 : pageTop.current - before;
    const wasInView = bottom - grown > 0 && top - grown < window.innerHeight;
    if (grown !== 0 && wasInView) window.scrollBy({ top: grown, behavior: 'instant' });
  });
}
