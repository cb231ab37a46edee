import { byteSize } from '@trawl/contracts';
import type { Dashboard } from '../../../api/entities.js';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { CardFailure } from '../../../components/failures/card-failure.js';
import { usePanelPath } from '../../../session/panel-path.js';
import { useFigureSeries } from '../card-queries.js';
import { type Compared, changeText, DAY_HOURS, rowsOfDays, runsOfDays } from '../trends.js';
import { Figure } from './figure.js';

const countOf = (count: number, capped = false) => `${count.toLocaleString('en-GB')}${capped ? '+' : ''}`;

/** Returns where the dashboard leads for what is late: to the runs, or to the schedules. */
const latePlace = ({ items }: Dashboard['late']): 'skript-executions' | 'scheduler' =>
  items.length > 0 && items.every(({ kind }) => kind === 'run') ? 'skript-executions' : 'scheduler';

/** By how much a figure has changed. Says nothing if there is nothing to compare it with. */
function Trend({ compared, than }: { compared: Compared; than: string }) {
  const change = changeText(compared);
  return (
    change && (
      <span className="figure-note" title={`${countOf(compared.now)}, ${than} ${countOf(compared.before)}`}>
        {change} on {than}
      </span>
    )
  );
}

/** The state of the account in one line of numbers. */
export function Figures() {
  const path = usePanelPath();
  const query = useDashboard();
  const series = useFigureSeries();
  const data = query.data;
  const hours = series.data?.hours;
  const rows = hours && rowsOfDays(hours);
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
        trend={hours && <Trend compared={runsOfDays(hours)} than="yesterday by now" />}
      />
      <Figure
        // With very many runs, the series begins later.
        label={`Rows stored, ${Math.min(hours?.length ?? DAY_HOURS, DAY_HOURS)} h`}
        to={path('storage')}
        value={rows ? countOf(rows.now) : series.isError ? '–' : undefined}
        trend={rows && <Trend compared={rows} than="the day before" />}
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
