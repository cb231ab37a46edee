import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefCallback, type RefObject, useCallback, useLayoutEffect, useState } from 'react';

type Rows = Virtualizer<HTMLDivElement, HTMLDivElement>;

const measure = (virtualizer: Rows, rows: Iterable<Element>) => {
  for (const row of rows)
    if (row instanceof HTMLDivElement) virtualizer.resizeItem(virtualizer.indexFromElement(row), row.offsetHeight);
};

/**
 * Measures rows that show other items in each view. For those, `measureElement` of the virtualizer would keep an entry
 * for each item, and go through all of them for each row.
 * @param container has the rows as children
 * @returns the `ref` of each row
 */
export function useReusedRows(
  virtualizer: Rows,
  container: RefObject<HTMLElement | null>,
  isReused: boolean,
): RefCallback<HTMLDivElement> {
  // A row also grows while its item stays, such as when the user opens an object in it.
  const [observer] = useState(
    () =>
      new ResizeObserver(entries =>
        measure(
          virtualizer,
          entries.map(({ target }) => target),
        ),
      ),
  );
  const observe = useCallback(
    (row: HTMLDivElement | null) => {
      if (row) observer.observe(row);
      return () => {
        if (row) observer.unobserve(row);
      };
    },
    [observer],
  );
  useLayoutEffect(() => {
    if (isReused) measure(virtualizer, container.current?.children ?? []);
  });
  return isReused ? observe : virtualizer.measureElement;
}
