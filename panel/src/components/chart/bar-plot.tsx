import { axisTop } from './axis-top.js';

/** Height of the drawing area; the bars are scaled to it. */
const HEIGHT = 100;
const GAP = 0.18;

const axisNumber = new Intl.NumberFormat('en-GB', { notation: 'compact' });

interface BarPlotProps<Bar> {
  bars: Bar[];
  keyOf: (bar: Bar) => string;
  /** Parts of a bar, from the bottom up. */
  partsOf: (bar: Bar) => { part: string; value: number }[];
  textOf: (bar: Bar) => string;
  size: 'tall' | 'low';
  /** How many bars the plot has room for. Default: the number of bars. */
  places?: number;
}

/** Bars with their axis. Both are hidden from screen readers, which get the table. */
export function BarPlot<Bar>({ bars, keyOf, partsOf, textOf, size, places = bars.length }: BarPlotProps<Bar>) {
  const sums = bars.map(bar => partsOf(bar).reduce((sum, { value }) => sum + value, 0));
  const top = axisTop(Math.max(0, ...sums));
  return (
    <>
      <div className="chart-axis tabular" aria-hidden="true">
        <span>{axisNumber.format(top)}</span>
        <span>{top % 2 === 0 ? axisNumber.format(top / 2) : ''}</span>
        <span>0</span>
      </div>
      <svg
        className="chart-bars"
        data-size={size}
        viewBox={`0 0 ${places} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {[0.5, 1].map(part => (
          <line
            key={part}
            className="chart-line"
            x1={0}
            x2={places}
            y1={HEIGHT * (1 - part)}
            y2={HEIGHT * (1 - part)}
          />
        ))}
        {bars.map((bar, index) => {
          let below = 0;
          return (
            <g key={keyOf(bar)}>
              <title>{textOf(bar)}</title>
              <rect className="chart-hit" x={index} y={0} width={1} height={HEIGHT} />
              {partsOf(bar).map(({ part, value }) => {
                const height = (value / top) * HEIGHT;
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
    </>
  );
}
