import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';

/** How many requests a run sent to each host. */
export function RunRequests({ execution }: { execution: Execution }) {
  const hosts = [...(execution.requests ?? [])].sort((one, other) => other.count - one.count);
  const most = hosts[0]?.count ?? 1;
  const all = hosts.reduce((sum, { count }) => sum + count, 0);
  return (
    <section className="card result" aria-label="Requests by host">
      <h2>Requests by host</h2>
      {hosts.length === 0 ? (
        <p>
          {isLive(execution.action)
            ? 'The skript counts its requests. They appear here when the run ends.'
            : 'Trawl counted no requests. The run sent none, took less than two seconds, or its process was killed.'}
        </p>
      ) : (
        <>
          <ul className="request-hosts">
            {hosts.map(({ host, count }) => (
              <li key={host}>
                <span className="mono">{inReadingOrder(host) || 'other hosts'}</span>
                <span className="tabular">{count.toLocaleString('en-GB')}</span>
                <span className="request-bar" style={{ width: `${(count / most) * 100}%` }} aria-hidden="true" />
              </li>
            ))}
          </ul>
          <p>
            {all.toLocaleString('en-GB')} HTTP requests in all. Of a browser, only the pages that it loads are counted.
          </p>
        </>
      )}
    </section>
  );
}
