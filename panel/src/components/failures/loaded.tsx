import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CardFailure } from './card-failure.js';

interface LoadedProps<T> {
  /** Subject of the error "… could not be loaded", such as "The schedules". */
  what: string;
  query: UseQueryResult<T>;
  /** Height in pixels that the content will have about. */
  height: number;
  children: (data: T) => ReactNode;
}

/** Content of a card: a skeleton while it loads, the error if that fails, or what has loaded. */
export function Loaded<T>({ what, query, height, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (!query.isError) return <Skeleton height={height} mt="sm" />;
  return <CardFailure what={what} query={query} />;
}
