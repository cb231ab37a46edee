import { SegmentedControl, Skeleton } from '@mantine/core';
import { countText } from '@trawl/contracts';
import { BarPlot } from '../../../components/chart/bar-plot.js';
import { CardFailure } from '../../../components/failures/card-failure.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { durationText } from '../../../components/values/duration-text.js';
import { RANGES, useChartRange, useChartSeries } from '../card-queries.js';
import { type HourBar, hourBars, PART_LABELS, PARTS } from '../chart-bars.js';
import { labelsOf, rowsText, runsText } from '../hour-text.js';
import { HourTable } from './hour-table.js';

const hourOf = ({ hour }: HourBar) => hour;
const runParts = ({ counts }: HourBar) => PARTS.map(part => ({ part, value: counts[part] }));
const rowParts = ({ rows }: HourBar) => [{ part: 'rows', value: rows }];

/** Summarises the charts in words: runs, errors, stored rows and the longest wait. */
function summaryOf(bars: HourBar[]): string {
  const sumOf = (figureOf: (bar: HourBar) => number) => bars.reduce((sum, bar) => sum + figureOf(bar), 0);
  const runs = sumOf(({ total }) => total);
  if (runs === 0) return 'No runs in this time.';
  const errors = sumOf(({ counts }) => counts.error).toLocaleString('en-GB');
  const rows = sumOf(bar => bar.rows);
  const longestWait = Math.max(0, ...bars.map(({ waitMs }) => waitMs ?? 0));
  return [
    `${countText(runs, 'run')}, ${errors} with an error.`,
    ...(rows > 0 ? [`${countText(rows, 'row')} stored.`] : []),
    ...(longestWait > 0 ? [`Longest median wait for a worker: ${durationText(longestWait)}.`] : []),
  ].join(' ');
}

/**
 * How the runs of the last hours ended, how many rows they stored, and how long they waited for a worker. `ofPlatform` is
 * true for the runs of all accounts.
 */
export function RunsChart({ ofPlatform = false }: { ofPlatform?: boolean }) {
  const params = useUrlParams();
  const range = useChartRange();
  const query = useChartSeries(range, ofPlatform);
  const bars = hourBars((query.data?.hours ?? []).slice(-Number(range)));
  return (
    <section className="card chart" aria-label="Runs by the hour" aria-busy={query.isPending}>
      <header className="chart-head">
        <div>
          <h2>Runs by the hour</h2>
          {query.data && <p className="tab-note">{summaryOf(bars)}</p>}
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
        <CardFailure what="The chart" query={query} />
      ) : !query.data ? (
        <Skeleton height={290} />
      ) : (
        <>
          <svg className="chart-patterns" aria-hidden="true">
            <defs>
              <pattern id="chart-error" width="0.25" height="4" patternUnits="userSpaceOnUse">
                <rect className="chart-error-ground" width="0.25" height="4" />
                <rect className="chart-error-line" width="0.25" height="1.5" />
              </pattern>
            </defs>
          </svg>
          <div className="chart-frame">
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
            <BarPlot bars={bars} keyOf={hourOf} partsOf={runParts} textOf={runsText} size="tall" />
            <h3 className="chart-title">Rows stored</h3>
            <BarPlot bars={bars} keyOf={hourOf} partsOf={rowParts} textOf={rowsText} size="low" />
            <div className="chart-hours" aria-hidden="true">
              {labelsOf(bars).map(({ hour, left, text }) => (
                <span key={hour} style={{ left: `${left}%` }}>
                  {text}
                </span>
              ))}
            </div>
          </div>
          <HourTable bars={bars} />
        </>
      )}
    </section>
  );
}
