const HEIGHT = 20;

/** Numbers over time as small bars, without an axis. Screen readers get the figure that it is beside. */
export function Spark({ values }: { values: readonly number[] }) {
  const top = Math.max(1, ...values);
  return (
    <svg className="spark" viewBox={`0 0 ${values.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, index) => {
        const height = value === 0 ? 1 : 2 + (value / top) * (HEIGHT - 2);
        // biome-ignore lint/suspicious/noArrayIndexKey: a moment has no other key.
        return <rect key={index} x={index} y={HEIGHT - height} width={0.72} height={height} />;
      })}
    </svg>
  );
}
