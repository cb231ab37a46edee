import type { WaitingReason } from '@trawl/contracts';
import { WAITING_TEXTS } from '@trawl/contracts';
import { Link } from 'react-router';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { usePanelPath } from '../../../session/panel-path.js';

/** Runs that wait too long, and schedules that do not fire as they should. Shows nothing if all is on time. */
export function LateCard() {
  const path = usePanelPath();
  const late = useDashboard().data?.late;
  if (!late || late.total === 0) return null;
  const rest = late.total - late.items.length;
  return (
    <section className="card side-list" aria-labelledby="late">
      <h2 id="late">Late</h2>
      <ul>
        {late.items.map(({ kind, id, name, since, reason }) => (
          <li key={id}>
            <Link className="cell-title" to={path(kind === 'run' ? 'skript-executions' : 'scheduler', `/${id}`)}>
              {inReadingOrder(name)}
            </Link>
            <p className="side-facts">
              <span>
                {kind === 'run'
                  ? `run: ${WAITING_TEXTS[reason as WaitingReason] ?? reason}`
                  : `schedule: ${reason ?? 'its fire is overdue'}`}
              </span>
              <RelativeTime iso={since} />
            </p>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="tab-note">And {rest.toLocaleString('en-GB')} more.</p>}
    </section>
  );
}
