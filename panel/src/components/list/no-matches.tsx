import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from '../feedback/states.js';
import type { ListParams } from './list-params.js';

interface NoMatchesProps {
  params: ListParams;
  /** Parameters of the filters in the address. */
  filters: readonly string[];
  title: string;
  children: ReactNode;
}

/** Shown instead of a list if nothing in it matches the filters. */
export const NoMatches = ({ params, filters, title, children }: NoMatchesProps) => (
  <EmptyState
    title={title}
    action={
      <Button variant="default" onClick={() => params.set(Object.fromEntries(filters.map(name => [name, null])))}>
        Clear filters
      </Button>
    }
  >
    {children}
  </EmptyState>
);
