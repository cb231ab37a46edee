import type { WrittenTarget } from '../../../api/entities.js';
import { CHART_DAYS, growthByDay } from './written-data.js';

const STEP = 3;
const HEIGHT = 22;
const WEEK = 7;

/** Rows added on each of the last 30 days as bars, and their sum over a week in words. */
export function GrowthBars({ target }: { target: WrittenTarget }) {
  const added = growthByDay(target);
  const most = Math.max(1, ...added);
  const week = added.slice(-WEEK).reduce((sum, rows) => sum + rows, 0);
  const month = added.reduce((sum, rows) => sum + rows, 0);
  return (
    <span className="growth" title="Days in UTC">
      <svg
        width={CHART_DAYS * STEP}
        height={HEIGHT}
        viewBox={`0 0 ${CHART_DAYS * STEP} ${HEIGHT}`}
        role="img"
        aria-label={`${month.toLocaleString('en-GB')} rows added in 30 days (UTC)`}
      >
        {added.map((rows, index) => {
          const height = rows === 0 ? 1 : 3 + (rows / most) * (HEIGHT - 3);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a day has no other key.
            <rect key={index} x={index * STEP} y={HEIGHT - height} width={STEP - 1} height={height} />
          );
        })}
      </svg>
      <span className="tabular">{week === 0 ? 'none in 7 days' : `+${week.toLocaleString('en-GB')} in 7 days`}</span>
    </span>
  );
}
