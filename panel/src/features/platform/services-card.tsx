import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { platformHealthQuery } from '../../api/platform-health.js';
import { CardFailure } from '../../components/failures/card-failure.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { Status } from '../../components/values/status.js';
import { TimeText } from '../../components/values/time-text.js';
import { healthQuery } from './health.js';

const NAMES: Record<string, string> = {
  postgres: 'PostgreSQL',
  mongodb: 'MongoDB',
  redis: 'Redis',
  event_loop: 'Event loop',
};

const Service = ({ name, isUp, children }: { name: string; isUp: boolean; children?: ReactNode }) => (
  <li>
    <span>{name}</span>
    <Status tone={isUp ? 'ok' : 'error'} label={isUp ? 'up' : 'down'} />
    <span className="state-fact tabular">{children}</span>
  </li>
);

/** The object store, if the platform has one. Its outage does not make the server unready, so another call reports it. */
function ObjectStore() {
  const store = useQuery(platformHealthQuery).data?.object_store;
  if (!store) return null;
  return (
    <Service name="Object store (S3)" isUp={store.is_available}>
      bucket {store.bucket}
      {store.unavailable_since && (
        <>
          , since <TimeText iso={store.unavailable_since} />: {inReadingOrder(store.reason ?? '')}
        </>
      )}
    </Service>
  );
}

/** State of the services that the platform uses. */
export function ServicesCard() {
  const query = useQuery(healthQuery);
  return (
    <section className="card state-list" aria-labelledby="services" aria-busy={query.isPending}>
      <h2 id="services">Services</h2>
      {query.isError ? (
        <CardFailure inset what="The services" query={query} />
      ) : query.data ? (
        <ul>
          {Object.entries(query.data).map(([service, { status, responseTime }]) => (
            <Service key={service} name={NAMES[service] ?? service} isUp={status === 'up'}>
              {responseTime !== undefined && `answers in ${responseTime} ms`}
            </Service>
          ))}
          <ObjectStore />
        </ul>
      ) : (
        <Skeleton height={84} />
      )}
    </section>
  );
}
