import { Checkbox } from '@mantine/core';
import { useRef, useState } from 'react';
import { inReadingOrder } from '../values/in-reading-order.js';
import type { Column } from './data-table.js';

export interface RowSelection<T> {
  /** The selected items of the shown page. */
  selected: T[];
  /** The column of checkboxes. */
  column: Column<T>;
  /** Selects exactly these rows. */
  select: (items: readonly T[]) => void;
}

/**
 * Lets the user select rows of a table. Only rows that are shown count as selected, so that an action never changes
 * rows that the user no longer sees.
 */
export function useRowSelection<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  nameOf: (item: T) => string,
): RowSelection<T> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const selected = items.filter(item => keys.has(keyOf(item)));
  const isAll = items.length > 0 && selected.length === items.length;
  const heading = useRef<HTMLInputElement>(null);
  const select = (chosen: readonly T[]) => {
    setKeys(new Set(chosen.map(keyOf)));
    // The bar of actions goes away, and the focused button with it.
    const focused = document.activeElement;
    const isInBar = focused === document.body || focused?.closest('.list-bar');
    if (chosen.length === 0 && isInBar) heading.current?.focus();
  };
  const toggle = (key: string) => {
    const next = new Set(keys);
    if (!next.delete(key)) next.add(key);
    setKeys(next);
  };
  return {
    selected,
    select,
    column: {
      key: 'select',
      title: 'Select',
      selects: true,
      heading: (
        <Checkbox
          ref={heading}
          size="xs"
          aria-label="Select all rows of this page"
          checked={isAll}
          indeterminate={selected.length > 0 && !isAll}
          onChange={() => setKeys(new Set(isAll ? [] : items.map(keyOf)))}
        />
      ),
      render: item => (
        <Checkbox
          size="xs"
          aria-label={`Select ${inReadingOrder(nameOf(item))}`}
          checked={keys.has(keyOf(item))}
          onChange={() => toggle(keyOf(item))}
        />
      ),
    },
  };
}
