import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError } from '../../api/api-error.js';
import { EmptyState, ErrorState } from './states.js';

/**
 * Whether the address of a screen names nothing. `error` is of a request whose only parameter is the id in the address,
 * so that status 400 means that the id is not one.
 */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400);

interface MissingProps {
  /** The kind of thing that the address should name, such as "skript". */
  noun: string;
  listHref: string;
  /** Label of the link to the list, such as "All skripts". */
  listLabel: string;
}

/** Content of a screen whose address names nothing. */
export function Missing({ noun, listHref, listLabel }: MissingProps) {
  return (
    <EmptyState
      title={`There is no ${noun} at this address`}
      action={
        <Button component={Link} to={listHref}>
          {listLabel}
        </Button>
      }
    >
      Check the address for mistakes. The {noun} may also have been deleted.
    </EmptyState>
  );
}

interface LoadFailureProps extends MissingProps {
  query: { error: unknown; refetch: () => Promise<unknown> };
  /** True in a container without padding. */
  inset?: boolean;
}

/** Content of a screen that could not load what its address names. */
export function LoadFailure({ query, inset, ...missing }: LoadFailureProps) {
  if (isMissing(query.error)) return <Missing {...missing} />;
  return (
    <ErrorState
      inset={inset}
      what={`The ${missing.noun} could not be loaded`}
      error={query.error}
      onRetry={() => query.refetch()}
    />
  );
}
