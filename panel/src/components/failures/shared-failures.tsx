import type { UseQueryResult } from '@tanstack/react-query';
import { createContext, type ReactNode } from 'react';
import { messageOf } from '../../api/api-error.js';
import { ErrorState } from '../feedback/states.js';

interface Failures {
  /** Messages that an alert above the cards shows, because several cards failed with each. */
  shared: ReadonlySet<string>;
  retryAll: () => Promise<unknown>;
}

export const SharedFailures = createContext<Failures | null>(null);

const listed = new Intl.ListFormat('en-GB');

interface WithSharedFailuresProps {
  /** Name of all cards together, such as "dashboard". Default: the names of the cards. */
  whole?: string;
  /** The cards, each with its request. Requests for the same data are sent once. */
  cards: { card: string; query: UseQueryResult }[];
  children: ReactNode;
}

/**
 * Shows one alert for all cards that failed for the same reason, so that the reader sees it once. Each "Try again"
 * inside repeats the requests of all cards that failed.
 */
export function WithSharedFailures({ whole, cards: all, children }: WithSharedFailuresProps) {
  const failed = all
    .filter(({ query }) => query.isError && query.data === undefined)
    .map(one => ({ ...one, message: messageOf(one.query.error) }));
  const shared = [...new Set(failed.map(({ message }) => message))]
    .map(message => ({ message, cards: failed.filter(one => one.message === message) }))
    .filter(({ cards }) => cards.length > 1);
  const retryAll = () => Promise.all([...new Set(failed.map(card => card.query))].map(query => query.refetch()));
  return (
    <SharedFailures value={{ shared: new Set(shared.map(({ message }) => message)), retryAll }}>
      {shared.length > 0 && (
        <div className="shared-failures">
          {shared.map(({ message, cards }) => (
            <ErrorState
              key={message}
              what={`The ${whole && cards.length === all.length ? whole : listed.format(cards.map(({ card }) => card))} could not be loaded`}
              error={cards[0]?.query.error}
              onRetry={retryAll}
            />
          ))}
        </div>
      )}
      {children}
    </SharedFailures>
  );
}
