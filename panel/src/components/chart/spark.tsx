const HEIGHT = 20;

interface SparkProps {
  /** One number for each hour, the current hour last. */
  values: readonly number[];
  /** Writes a number with its unit. */
  format: (value: number) => string;
}

/** Numbers of the last hours as small bars, with their highest. Screen readers get the figure that it is beside. */
export function Spark({ values, format }: SparkProps) {
  const top = Math.max(0, ...values);
  return (
    <div className="spark" aria-hidden="true">
      <svg aria-hidden="true" viewBox={`0 0 ${values.length} ${HEIGHT}`} preserveAspectRatio="none">
        {values.map((value, index) => {
          const height = value === 0 ? 1 : 2 + (value / top) * (HEIGHT - 2);
          const hoursAgo = values.length - 1 - index;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an hour has no other key.
            <g key={index}>
              <title>{`${hoursAgo === 0 ? 'this hour' : `${hoursAgo} h ago`}: ${format(value)}`}</title>
              <rect className="spark-hit" x={index} y={0} width={1} height={HEIGHT} />
              <rect x={index} y={HEIGHT - height} width={0.72} height={height} />
            </g>
          );
        })}
      </svg>
      <div className="spark-scale tabular">
        <span>{values.length} h</span>
        <span>highest {format(top)}</span>
      </div>
    </div>
  );
}
