import { countText, RUN_ERRORS } from '@trawl/contracts';
import { Link } from 'react-router';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { Loaded } from '../../../components/failures/loaded.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';

const HEIGHT_PX = 150;

interface OpenIssuesProps {
  issuesHref: string;
  executionHref: (executionId: string) => string;
}

/** The open issues, each with a link to its latest run, which shows the failing line. */
export function OpenIssues({ issuesHref, executionHref }: OpenIssuesProps) {
  const query = useDashboard();
  return (
    <section className="card side-list" aria-labelledby="open-issues">
      <h2 id="open-issues">
        <Link to={issuesHref}>Open issues</Link>
      </h2>
      <Loaded what="The open issues" query={query} height={HEIGHT_PX}>
        {({ issues: { newest } }) =>
          newest.length === 0 ? (
            <p className="tab-note">Nothing fails.</p>
          ) : (
            <ul className="issue-rows">
              {newest.map(
                ({ id, message, error_code: code, skript, frame, runs, last_run_id: run, last_seen_at: at }) => (
                  <li key={id}>
                    <Link
                      className="cell-title"
                      to={executionHref(run)}
                      title={frame ? inReadingOrder(frame) : undefined}
                    >
                      {inReadingOrder(message) || RUN_ERRORS[code]}
                    </Link>
                    <span className="issue-skript">{inReadingOrder(skript.name)}</span>
                    <span className="tabular">{countText(runs, 'run')}</span>
                    <RelativeTime iso={at} />
                  </li>
                ),
              )}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
