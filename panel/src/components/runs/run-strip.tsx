import { Link } from 'react-router';
import type { LatestRun } from '../../api/entities.js';
import { STRIP_BARS, STRIP_HEIGHT, stripBars, stripWords } from './strip-bars.js';

const STEP = 4;

interface RunStripProps {
  /** The runs of one skript, the newest first. */
  runs: readonly LatestRun[];
  /** Path of the list of these runs. */
  href: string;
  /** Id of the run to mark. */
  markedId?: string;
}

/** The last runs of a skript as bars: height is duration, an error or broken rows have a mark above it. */
export function RunStrip({ runs, href, markedId }: RunStripProps) {
  const bars = stripBars(runs);
  if (bars.length === 0) return <span className="cell-sub">no runs yet</span>;
  return (
    <Link className="strip" to={href} aria-label={stripWords(bars)}>
      <svg
        width={STRIP_BARS * STEP}
        height={STRIP_HEIGHT + 3}
        viewBox={`0 0 ${STRIP_BARS * STEP} ${STRIP_HEIGHT + 3}`}
        aria-hidden="true"
      >
        {bars.map(({ id, action, isBroken, height, words }, index) => {
          const x = index * STEP;
          return (
            <g key={id} data-action={action}>
              <title>{words}</title>
              <rect x={x} y={STRIP_HEIGHT - height} width={STEP - 1} height={height} />
              {action === 'error' && <rect x={x} y={0} width={STEP - 1} height={3} />}
              {isBroken && <rect className="strip-broken" x={x} y={0} width={STEP - 1} height={3} />}
              {id === markedId && (
                <rect className="strip-mark" x={x} y={STRIP_HEIGHT + 1} width={STEP - 1} height={2} />
              )}
            </g>
          );
        })}
      </svg>
    </Link>
  );
}
