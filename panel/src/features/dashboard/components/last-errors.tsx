import { Link } from 'react-router';
import { useRunSeries } from '../../../api/requests/get-run-series.js';
import { Loaded } from '../../../components/feedback/loaded.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';

const SHOWN = 5;
const HEIGHT_PX = 180;

/** The newest failed runs, each with its reason. */
export function LastErrors({ executionHref }: { executionHref: (executionId: string) => string }) {
  const query = useRunSeries(24);
  return (
    <section className="card side-list" aria-label="Last errors">
      <h2>Last errors</h2>
      <Loaded what="The last errors" query={query} height={HEIGHT_PX}>
        {({ last_errors: errors }) =>
          errors.length === 0 ? (
            <p className="tab-note">No run has failed.</p>
          ) : (
            <ul>
              {errors.slice(0, SHOWN).map(({ id, skript, reason, ended_at: at }) => (
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
          )
        }
      </Loaded>
    </section>
  );
}
