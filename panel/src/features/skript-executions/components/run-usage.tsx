import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { durationText } from '../../../components/values/duration-text.js';

type Sample = NonNullable<Execution['usage']>[number];

const WIDTH = 600;
const HEIGHT = 90;

interface ChartProps {
  name: string;
  unit: string;
  points: { at: number; value: number }[];
  /** Seconds from the left edge to the right one. */
  seconds: number;
}

/** One value over the time of a run. The scale ends at the highest value. */
function Chart({ name, unit, points, seconds }: ChartProps) {
  const values = points.map(({ value }) => value);
  const highest = Math.max(...values, 1);
  const mean = Math.round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
  const line = points.map(({ at, value }) => {
    const x = (at / Math.max(1, seconds)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - (value / highest) * HEIGHT).toFixed(1)}`;
  });
  const [first, last] = [line[0], line.at(-1)].map(point => point?.split(',')[0] ?? '0');
  const words = `${Math.max(...values, 0).toLocaleString('en-GB')} ${unit} at most, ${mean.toLocaleString('en-GB')} ${unit} on average`;
  return (
    <figure className="usage-chart">
      <figcaption>
        <strong>{name}</strong> <span className="cell-sub">{words}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name} over time: ${words}`}
      >
        <polygon points={`${first},${HEIGHT} ${line.join(' ')} ${last},${HEIGHT}`} />
        <polyline points={line.join(' ')} vectorEffect="non-scaling-stroke" />
      </svg>
      <div className="usage-axis tabular" aria-hidden="true">
        <span>0 s</span>
        <span>{durationText(seconds * 1_000)}</span>
      </div>
    </figure>
  );
}

const isMeasured = ({ cpu_percent: cpu }: Sample): boolean => cpu !== null;

/** Processor and memory of a run over its time, as far as its worker has measured them. */
export function RunUsage({ execution }: { execution: Execution }) {
  const samples = execution.usage ?? [];
  const seconds = samples.at(-1)?.at_s ?? 0;
  return (
    <section className="card result" aria-label="Processor and memory">
      <h2>Processor and memory</h2>
      {samples.length === 0 ? (
        <p>
          {isLive(execution.action)
            ? 'The worker measures every few seconds. The first samples appear here a few seconds after the start.'
            : 'Not measured: the run took only a few seconds, or its worker is older or cannot measure runs.'}
        </p>
      ) : (
        <div className="usage-charts">
          <Chart
            name="Processor"
            unit="% of a core"
            seconds={seconds}
            points={samples.filter(isMeasured).map(({ at_s: at, cpu_percent: cpu }) => ({ at, value: cpu ?? 0 }))}
          />
          <Chart
            name="Memory"
            unit="MB"
            seconds={seconds}
            points={samples.map(({ at_s: at, memory_mb: value }) => ({ at, value }))}
          />
        </div>
      )}
    </section>
  );
}
