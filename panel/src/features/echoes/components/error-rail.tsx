/** The most marks that are drawn; closer ones would cover each other. */
const MAX_MARKS = 150;

export interface RailMark {
  seq: number;
  /** Place in the whole, from 0 to 1. */
  at: number;
}

/** Returns marks for the errors among `total` echoes, without those that would cover another one. */
export function railMarks(errorSeqs: readonly number[], total: number): RailMark[] {
  const places = new Map<number, RailMark>();
  for (const seq of errorSeqs) {
    const at = total > 1 ? (seq - 1) / (total - 1) : 0;
    const place = Math.round(at * MAX_MARKS);
    if (!places.has(place)) places.set(place, { seq, at: Math.min(1, Math.max(0, at)) });
  }
  return [...places.values()];
}

interface ErrorRailProps {
  marks: readonly RailMark[];
  onPick: (seq: number) => void;
}

/** Marks the errors of a run along the scrollbar of its console. Keyboard users have the button for the next error. */
export function ErrorRail({ marks, onPick }: ErrorRailProps) {
  if (marks.length === 0) return null;
  return (
    <div className="rail">
      {marks.map(({ seq, at }) => (
        <button
          key={seq}
          type="button"
          className="rail-mark"
          tabIndex={-1}
          style={{ top: `${at * 100}%` }}
          title={`Error at echo ${seq.toLocaleString('en-GB')}`}
          aria-label={`Go to the error at echo ${seq}`}
          onClick={() => onPick(seq)}
        />
      ))}
    </div>
  );
}
