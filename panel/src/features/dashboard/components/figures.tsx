import { byteSize } from '@trawl/contracts';
import type { Dashboard } from '../../../api/entities.js';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { useRunSeries } from '../../../api/requests/get-run-series.js';
import { usePanelPath } from '../../../session/panel-path.js';
import { CardFailure } from '../failures/card-failure.js';
import { Figure } from './figure.js';

const countOf = (count: number, capped = false) => `${count.toLocaleString('en-GB')}${capped ? '+' : ''}`;

/** Returns where the dashboard leads for what is late: to the runs, or to the schedules. */
const latePlace = ({ items }: Dashboard['late']): 'skript-executions' | 'scheduler' =>
  items.length > 0 && items.every(({ kind }) => kind === 'run') ? 'skript-executions' : 'scheduler';

/** The state of the account in one line of numbers. */
export function Figures() {
  const path = usePanelPath();
  const query = useDashboard();
  const series = useRunSeries(24);
  const data = query.data;
  if (query.isError && !data)
    return (
      <section className="card" aria-label="Figures">
        <CardFailure inset what="The figures" query={query} />
      </section>
    );
  const today = data?.runs.today;
  return (
    <section className="card figures" aria-label="Figures" aria-busy={query.isPending}>
      <Figure
        label="Open issues"
        to={path('skript-executions', '/issues')}
        value={data && countOf(data.issues.total)}
        tone={data && data.issues.total > 0 && 'error'}
      />
      <Figure
        label="Late"
        to={data ? path(latePlace(data.late)) : ''}
        value={data && countOf(data.late.total)}
        tone={data && data.late.total > 0 && 'warn'}
      />
      <Figure
        label="Running now"
        to={path('skript-executions', '?action=start')}
        value={data && countOf(data.runs.under_way + data.runs.waiting)}
        note={data && data.runs.waiting > 0 && `${countOf(data.runs.waiting)} waiting`}
      />
      <Figure
        label="Runs today (UTC)"
        to={path('skript-executions')}
        value={today && countOf(today.total, today.capped)}
        note={today && today.error > 0 && `${countOf(today.error)} failed`}
      />
      <Figure
        label="Rows stored, 24 h"
        to={path('storage')}
        value={
          series.data
            ? countOf(series.data.hours.reduce((sum, { rows }) => sum + rows, 0))
            : series.isError
              ? '–'
              : undefined
        }
      />
      <Figure label="Stored" to={path('storage')} value={data && byteSize(data.quotas.storage_bytes.used)} />
      <Figure
        label="Workers online"
        to={path('workers')}
        value={data && `${data.workers.online} of ${data.workers.total}`}
        tone={data && data.workers.online === 0 && 'error'}
      />
    </section>
  );
}
