import { useContext } from 'react';
import { messageOf } from '../../api/api-error.js';
import { ErrorState } from '../feedback/states.js';
import { SharedFailures } from './shared-failures.js';

interface CardFailureProps {
  /** Subject of the error "… could not be loaded", such as "The schedules". */
  what: string;
  query: { error: unknown; refetch: () => Promise<unknown> };
  /** True in a container without padding. */
  inset?: boolean;
}

/** Content of a card that could not be loaded: the reason, unless an alert above the cards already shows it. */
export function CardFailure({ what, query, inset }: CardFailureProps) {
  const failures = useContext(SharedFailures);
  if (failures?.shared.has(messageOf(query.error)))
    return <p className={inset ? 'tab-note card-note' : 'tab-note'}>Not loaded.</p>;
  return (
    <ErrorState
      inset={inset}
      what={`${what} could not be loaded`}
      error={query.error}
      onRetry={failures?.retryAll ?? (() => query.refetch())}
    />
  );
}
