import { SegmentedControl, Skeleton } from '@mantine/core';
import { useRunSeries } from '../../../api/requests/get-run-series.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { durationText } from '../../../components/values/duration-text.js';
import { axisTop, type HourBar, hourBars, PART_LABELS, PARTS } from '../chart-bars.js';

const RANGES = [
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
];
/** Height of the drawing area; the bars are scaled to it. */
const HEIGHT = 100;
const GAP = 0.18;

const hourName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });

const wordsOf = ({ hour, counts, total, waitMs }: HourBar): string =>
  [
    hourName.format(new Date(hour)),
    total === 0
      ? 'no runs'
      : PARTS.flatMap(part => (counts[part] ? [`${counts[part]} ${PART_LABELS[part]}`] : [])).join(', '),
    ...(waitMs === null ? [] : [`waited ${durationText(waitMs)}`]),
  ].join(': ');

function Bars({ bars, top }: { bars: HourBar[]; top: number }) {
  return (
    <svg className="chart-bars" viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <defs>
        <pattern id="chart-error" width="0.25" height="4" patternUnits="userSpaceOnUse">
          <rect className="chart-error-ground" width="0.25" height="4" />
          <rect className="chart-error-line" width="0.25" height="1.5" />
        </pattern>
      </defs>
      {[0.5, 1].map(part => (
        <line
          key={part}
          className="chart-line"
          x1={0}
          x2={bars.length}
          y1={HEIGHT * (1 - part)}
          y2={HEIGHT * (1 - part)}
        />
      ))}
      {bars.map((bar, index) => {
        let below = 0;
        return (
          <g key={bar.hour}>
            <title>{wordsOf(bar)}</title>
            <rect className="chart-hit" x={index} y={0} width={1} height={HEIGHT} />
            {PARTS.map(part => {
              const height = (bar.counts[part] / top) * HEIGHT;
              if (height === 0) return null;
              below += height;
              return (
                <rect
                  key={part}
                  data-part={part}
                  x={index + GAP / 2}
                  y={HEIGHT - below}
                  width={1 - GAP}
                  height={height}
                />
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

/** Returns the bars that get a label below: each sixth hour of a day, else each midnight. */
function labelsOf(bars: HourBar[]): { hour: string; left: number; text: string }[] {
  return bars.flatMap(({ hour }, index) => {
    const at = new Date(hour);
    const isLabelled = bars.length <= 24 ? at.getHours() % 6 === 0 : at.getHours() === 0;
    if (!isLabelled) return [];
    const text = bars.length <= 24 ? `${String(at.getHours()).padStart(2, '0')}:00` : dayName.format(at);
    return [{ hour, left: (index / bars.length) * 100, text }];
  });
}

/** How the runs of the last hours ended, and how long they waited for a worker. */
export function RunsChart() {
  const params = useUrlParams();
  const range = RANGES.find(({ value }) => value === params.get('hours'))?.value ?? '24';
  const query = useRunSeries(Number(range));
  const bars = hourBars(query.data?.hours ?? []);
  const top = axisTop(Math.max(0, ...bars.map(({ total }) => total)));
  const longestWait = Math.max(0, ...bars.map(({ waitMs }) => waitMs ?? 0));
  const runs = bars.reduce((sum, { total }) => sum + total, 0);
  const errors = bars.reduce((sum, { counts }) => sum + counts.error, 0);
  return (
    <section className="card chart" aria-label="Runs by the hour" aria-busy={query.isPending}>
      <header className="chart-head">
        <div>
          <h2>Runs by the hour</h2>
          {query.data && (
            <p className="tab-note">
              {runs.toLocaleString('en-GB')} {runs === 1 ? 'run' : 'runs'}, {errors.toLocaleString('en-GB')} with an
              error.
              {longestWait > 0 && ` Longest median wait for a worker: ${durationText(longestWait)}.`}
            </p>
          )}
        </div>
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          data={RANGES}
          value={range}
          onChange={value => params.set({ hours: value === '24' ? null : value })}
        />
      </header>
      {query.isError && !query.data ? (
        <ErrorState what="The chart could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton height={190} />
      ) : (
        <>
          <div className="chart-frame">
            <div className="chart-axis tabular" aria-hidden="true">
              <span>{top.toLocaleString('en-GB')}</span>
              <span>{top > 1 ? (top / 2).toLocaleString('en-GB') : ''}</span>
              <span>0</span>
            </div>
            <Bars bars={bars} top={top} />
            <div className="chart-hours" aria-hidden="true">
              {labelsOf(bars).map(({ hour, left, text }) => (
                <span key={hour} style={{ left: `${left}%` }}>
                  {text}
                </span>
              ))}
            </div>
          </div>
          <div className="chart-foot">
            <ul className="chart-legend">
              {PARTS.map(part => (
                <li key={part}>
                  <svg viewBox="0 0 10 10" aria-hidden="true">
                    <rect width={10} height={10} data-part={part} />
                  </svg>
                  {PART_LABELS[part]}
                </li>
              ))}
            </ul>
            <details>
              <summary>As a table</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
              <div className="chart-table" tabIndex={0}>
                <table className="table">
                  <thead>
                    <tr>
                      <th scope="col">Hour</th>
                      {PARTS.map(part => (
                        <th key={part} scope="col">
                          {PART_LABELS[part]}
                        </th>
                      ))}
                      <th scope="col">median wait</th>
                    </tr>
                  </thead>
                  <tbody>
                    {[...bars].reverse().map(bar => (
                      <tr key={bar.hour}>
                        <td>{hourName.format(new Date(bar.hour))}</td>
                        {PARTS.map(part => (
                          <td key={part} className="tabular">
                            {bar.counts[part]}
                          </td>
                        ))}
                        <td className="tabular">{bar.waitMs === null ? '–' : durationText(bar.waitMs)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </details>
          </div>
        </>
      )}
    </section>
  );
}
