import { type RefCallback, useCallback } from 'react';

/**
 * Says on an element that scrolls sideways whether it has more to the left or right, in the attributes
 * `data-more-left` and `data-more-right`. The style sheet fades those edges.
 */
export function useScrollEdges<T extends HTMLElement>(): RefCallback<T> {
  return useCallback((element: T | null) => {
    if (!element) return;
    const update = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      element.toggleAttribute('data-more-left', scrollLeft > 1);
      element.toggleAttribute('data-more-right', scrollLeft + clientWidth < scrollWidth - 1);
    };
    // The content may grow without the frame, for example when rows are loaded.
    const resized = new ResizeObserver(update);
    resized.observe(element);
    for (const child of element.children) resized.observe(child);
    element.addEventListener('scroll', update, { passive: true });
    update();
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, []);
}
