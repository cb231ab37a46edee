import { durationText } from '../../../components/values/duration-text.js';
import { type HourBar, PART_LABELS, PARTS } from '../chart-bars.js';
import { hourText } from '../hour-text.js';

/** The numbers of the charts, the newest hour first. */
export function HourTable({ bars }: { bars: HourBar[] }) {
  return (
    <details className="chart-foot">
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
              <th scope="col">rows stored</th>
              <th scope="col">median wait</th>
            </tr>
          </thead>
          <tbody>
            {[...bars].reverse().map(({ hour, counts, rows, waitMs }) => (
              <tr key={hour}>
                <td>{hourText(hour)}</td>
                {PARTS.map(part => (
                  <td key={part} className="tabular">
                    {counts[part]}
                  </td>
                ))}
                <td className="tabular">{rows.toLocaleString('en-GB')}</td>
                <td className="tabular">{durationText(waitMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
