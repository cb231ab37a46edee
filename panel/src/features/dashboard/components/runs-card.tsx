import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Dashboard } from '../../../api/entities.js';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { Loaded } from '../../../components/failures/loaded.js';
import { RunResult } from '../../../components/runs/run-result.js';
import { openVerdict } from '../../../components/runs/verdict-words.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { usePanelPath } from '../../../session/panel-path.js';

const SHOWN = 8;
const HEIGHT_PX = 220;

/** Returns the runs that have not ended, then the newest others. */
function shownRuns({ live_runs: live, recent_runs: recent }: Dashboard) {
  const ids = new Set(live.map(({ id }) => id));
  return [...live, ...recent.filter(({ id }) => !ids.has(id))].slice(0, SHOWN);
}

/** Live runs, then the latest ended ones. */
export function RunsCard() {
  const path = usePanelPath();
  const query = useDashboard();
  return (
    <section className="card side-list" aria-labelledby="runs">
      <h2 id="runs">
        <Link to={path('skript-executions')}>Runs</Link>
      </h2>
      <Loaded what="The runs" query={query} height={HEIGHT_PX}>
        {figures => {
          const runs = shownRuns(figures);
          if (runs.length === 0)
            return (
              <p className="tab-note">
                No runs yet.{' '}
                <Button size="compact-xs" variant="default" component={Link} to={path('execute-skript')}>
                  Execute a skript
                </Button>
              </p>
            );
          return (
            <ul className="side-runs">
              {runs.map(run => (
                <li key={run.id}>
                  <Link className="cell-title" to={path('skript-executions', `/${run.id}`)}>
                    {inReadingOrder(run.skript.name)}
                  </Link>
                  <RunResult action={run.action} waiting={run.waiting_for} level={openVerdict(run)?.level} />
                  <RelativeTime iso={run.created_at} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}
