import { countText } from '@trawl/contracts';
import type { Dashboard, RunHour } from '../../../api/entities.js';
import { Spark } from '../../../components/chart/spark.js';
import { durationText } from '../../../components/values/duration-text.js';
import { Figure } from './figure.js';

const FAILING_SHARE = 0.2;
const number = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
const rough = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 2 });
const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

const runsOf = ({ start, pause, stop, end, error }: RunHour) => start + pause + stop + end + error;

interface PlatformRunFiguresProps {
  /** Undefined while it loads. */
  platform: NonNullable<Dashboard['platform']> | undefined;
  /** Runs of all accounts by the hour, for the bars below the figures. */
  hours?: readonly RunHour[];
}

/** How many runs of all accounts wait, run and fail, for administrators. */
export function PlatformRunFigures({ platform, hours }: PlatformRunFiguresProps) {
  const hour = platform?.last_hour;
  const oldest = platform?.oldest_waiting_ms ?? null;
  const errorShare = !hour || hour.ended === 0 ? null : hour.failed / hour.ended;
  const trend = (figureOf: (hour: RunHour) => number, format: (value: number) => string) =>
    hours && <Spark values={hours.map(figureOf)} format={format} />;
  return (
    <>
      <Figure
        label="In the queue"
        value={platform?.runs.waiting.toLocaleString('en-GB')}
        note={oldest !== null && `for up to ${durationText(oldest)}`}
      />
      <Figure
        label="Runs a minute"
        value={hour && `${number.format(hour.runs / 60)}${hour.capped ? '+' : ''}`}
        trend={trend(hour => runsOf(hour) / 60, rough.format)}
      />
      <Figure
        label="Failed, last hour"
        value={hour && (errorShare === null ? '–' : percent.format(errorShare))}
        note={hour && hour.failed > 0 && countText(hour.failed, 'run')}
        tone={errorShare !== null && errorShare >= FAILING_SHARE && 'error'}
        trend={trend(({ error }) => error, rough.format)}
      />
      <Figure
        label="95 % wait up to"
        value={hour && durationText(hour.wait_ms_p95)}
        trend={trend(({ wait_ms_max: wait }) => wait ?? 0, durationText)}
      />
    </>
  );
}
