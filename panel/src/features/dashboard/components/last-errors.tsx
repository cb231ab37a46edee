import { Link } from 'react-router';
import { useRunSeries } from '../../../api/requests/get-run-series.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';

const SHOWN = 5;

/** The newest failed runs, each with its reason. */
export function LastErrors({ executionHref }: { executionHref: (executionId: string) => string }) {
  const errors = useRunSeries(24).data?.last_errors.slice(0, SHOWN);
  return (
    <section className="card side-list" aria-label="Last errors">
      <h2>Last errors</h2>
      {errors?.length === 0 && <p className="tab-note">No run has failed.</p>}
      <ul>
        {errors?.map(({ id, skript, reason, ended_at: at }) => (
          <li key={id}>
            <Link className="cell-title" to={executionHref(id)}>
              {inReadingOrder(skript.name)}
            </Link>
            <span className="cell-sub">
              <TimeText iso={at} />
            </span>
            <p className="side-reason">{inReadingOrder(reason)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
