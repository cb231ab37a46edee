import { createContext, type ReactNode } from 'react';
import { messageOf } from '../../../api/api-error.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { useCardQueries } from '../card-queries.js';

interface Failures {
  /** Messages that an alert above the cards shows, because several cards failed with each. */
  shared: ReadonlySet<string>;
  retryAll: () => Promise<unknown>;
}

export const SharedFailures = createContext<Failures | null>(null);

const listed = new Intl.ListFormat('en-GB');

/**
 * Shows one alert for all cards that failed for the same reason, so that the reader sees it once. Each "Try again"
 * inside repeats the requests of all cards that failed.
 */
export function WithSharedFailures({ children }: { children: ReactNode }) {
  const all = useCardQueries();
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
              what={`The ${cards.length === all.length ? 'dashboard' : listed.format(cards.map(({ card }) => card))} could not be loaded`}
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
