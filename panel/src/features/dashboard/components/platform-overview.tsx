import { byteSize } from '@trawl/contracts';
import { useParams } from 'react-router';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { Spark } from '../../../components/chart/spark.js';
import { CardFailure } from '../../../components/failures/card-failure.js';
import { useFigureSeries } from '../card-queries.js';
import { DAY_HOURS } from '../trends.js';
import { Figure } from './figure.js';
import { PlatformRunFigures } from './platform-run-figures.js';

const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });

const count = (value: number | undefined) => value?.toLocaleString('en-GB');

/** The figures of all accounts and their trend over a day, for the administrators' screen about the platform. */
export function PlatformOverview() {
  const { role = '' } = useParams();
  const query = useDashboard();
  const series = useFigureSeries(true);
  const platform = query.data?.platform ?? undefined;
  const hours = series.data?.hours.slice(-DAY_HOURS);
  if (query.isError && !query.data)
    return (
      <section className="card" aria-label="Figures">
        <CardFailure inset what="The figures" query={query} />
      </section>
    );
  return (
    <section className="card figures" aria-label="Figures" aria-busy={query.isPending}>
      <PlatformRunFigures platform={platform} hours={hours} />
      <Figure label="Running now" to={`/${role}/all-runs?action=start`} value={count(platform?.runs.under_way)} />
      <Figure
        // With very many runs, the series begins later.
        label={`Rows, ${hours?.length ?? DAY_HOURS} h`}
        value={hours ? count(hours.reduce((sum, { rows }) => sum + rows, 0)) : series.isError ? '–' : undefined}
        note={hours && hours.length < DAY_HOURS && 'Trawl counts no earlier hours.'}
        trend={hours && <Spark values={hours.map(({ rows }) => rows)} format={compact.format} />}
      />
      <Figure
        label="Workers online"
        to={`/${role}/workers`}
        value={platform && `${platform.workers.online} of ${platform.workers.total}`}
        tone={platform?.workers.online === 0 && 'error'}
      />
      <Figure
        label="Accounts"
        to={`/${role}/users`}
        value={count(platform?.users)}
        note={platform && `${byteSize(platform.storage_bytes)} stored`}
      />
    </section>
  );
}
