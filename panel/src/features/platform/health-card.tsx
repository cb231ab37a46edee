import { Skeleton } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { isUnreachable } from '../../api/api-error.js';
import { platformHealthQuery } from '../../api/platform-health.js';
import { ErrorState } from '../../components/feedback/states.js';
import { Status } from '../../components/values/status.js';
import { TimeText } from '../../components/values/time-text.js';

const REFRESH_MS = 10_000;

interface Checks {
  [service: string]: { status?: string; responseTime?: number };
}

/** The answer has the checks also with status 503, so it is read without the API client. */
const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }): Promise<Checks> => {
    const response = await fetch('/health/ready', { signal });
    const { details } = (await response.json()) as { details?: Checks };
    if (!details) throw new Error('The server answered without the checks of its services.');
    return details;
  },
  refetchInterval: REFRESH_MS,
  retry: false,
});

const NAMES: Record<string, string> = {
  postgres: 'PostgreSQL',
  mongodb: 'MongoDB',
  redis: 'Redis',
  event_loop: 'Event loop',
};

/** The object store, if the platform has one. Its outage does not make the server unready, so another call reports it. */
function ObjectStoreRow() {
  const store = useQuery(platformHealthQuery).data?.object_store;
  if (!store) return null;
  return (
    <div>
      <dt>Object store (S3)</dt>
      <dd>
        <Status tone={store.is_available ? 'ok' : 'error'} label={store.is_available ? 'up' : 'down'} />
        <span className="cell-sub">
          bucket {store.bucket}
          {store.unavailable_since && (
            <>
              , since <TimeText iso={store.unavailable_since} />: {store.reason}
            </>
          )}
        </span>
      </dd>
    </div>
  );
}

/** State of the services that the platform uses. */
export function HealthCard() {
  const query = useQuery(healthQuery);
  return (
    <section className="card account-card" aria-labelledby="health" aria-busy={query.isPending}>
      <h2 id="health">Health</h2>
      {query.isError ? (
        <ErrorState
          what={isUnreachable(query.error) ? 'Trawl is unreachable' : 'The health could not be loaded'}
          error={query.error}
          onRetry={() => query.refetch()}
        />
      ) : query.data ? (
        <dl className="health-list">
          {Object.entries(query.data).map(([service, { status, responseTime }]) => (
            <div key={service}>
              <dt>{NAMES[service] ?? service}</dt>
              <dd>
                <Status tone={status === 'up' ? 'ok' : 'error'} label={status === 'up' ? 'up' : 'down'} />
                {responseTime !== undefined && <span className="cell-sub tabular">answers in {responseTime} ms</span>}
              </dd>
            </div>
          ))}
          <ObjectStoreRow />
        </dl>
      ) : (
        <Skeleton height={60} />
      )}
    </section>
  );
}
