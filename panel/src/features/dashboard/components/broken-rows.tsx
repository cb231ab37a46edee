import { Link } from 'react-router';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { usePanelPath } from '../../../session/panel-path.js';

/** Skripts whose rows are broken now. Shows nothing if there are none. */
export function BrokenRows() {
  const path = usePanelPath();
  const broken = useDashboard().data?.broken_rows;
  if (!broken || broken.total === 0) return null;
  const rest = broken.total - broken.items.length;
  return (
    <section className="card side-list" aria-labelledby="broken-rows">
      <h2 id="broken-rows">
        <Link to={path('skript-executions', '?verdict=broken')}>Broken rows</Link>
      </h2>
      <ul>
        {broken.items.map(({ skript, execution_id: run, text, ended_at: at }) => (
          <li key={skript.id}>
            <Link className="cell-title" to={path('skript-executions', `/${run}`)}>
              {inReadingOrder(skript.name)}
            </Link>
            <p className="side-facts">
              <span>{inReadingOrder(text)}</span>
              <RelativeTime iso={at} />
            </p>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="tab-note">And {rest.toLocaleString('en-GB')} more.</p>}
    </section>
  );
}
