import { Link } from 'react-router';
import { MessageText } from '../../../components/feedback/message-text.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';
import { useLastErrors } from '../card-queries.js';
import { Loaded } from '../failures/loaded.js';

const SHOWN = 5;
const HEIGHT_PX = 180;

/** The newest failed runs, each with its reason. */
export function LastErrors({ executionHref }: { executionHref: (executionId: string) => string }) {
  const query = useLastErrors();
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
                  <p className="side-reason">
                    <MessageText of={reason} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
