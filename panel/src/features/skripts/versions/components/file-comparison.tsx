import { type ComparedRow, type Line, sideBySide } from '../side-by-side.js';

function Side({ line, mark }: { line: Line | null; mark: 'removed' | 'added' | undefined }) {
  return (
    <>
      <td className="side-number">{line?.number}</td>
      <td className="side-text" data-mark={line ? mark : 'none'}>
        {line && mark && <span className="visually-hidden">{`${mark}: `}</span>}
        {line?.text}
      </td>
    </>
  );
}

const rowKey = ({ from, to }: ComparedRow): string => `${from?.number ?? ''}-${to?.number ?? ''}`;

interface FileComparisonProps {
  /** Unified diff of the file. */
  diff: string;
  /** Names of both sides. */
  from: string;
  to: string;
}

/** The lines of a file that differ, both sides beside each other; on phones, one above the other. */
export function FileComparison({ diff, from, to }: FileComparisonProps) {
  const blocks = sideBySide(diff);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <div className="sides-frame" tabIndex={0}>
      <table className="sides">
        <colgroup>
          <col className="side-number" />
          <col />
          <col className="side-number" />
          <col />
        </colgroup>
        <thead className="visually-hidden">
          <tr>
            <th colSpan={2}>{from}</th>
            <th colSpan={2}>{to}</th>
          </tr>
        </thead>
        {blocks.map(rows => (
          <tbody key={rows[0] && rowKey(rows[0])}>
            {rows.map(row => (
              <tr key={rowKey(row)} data-kind={row.kind}>
                <Side line={row.from} mark={row.kind === 'changed' ? 'removed' : undefined} />
                <Side line={row.to} mark={row.kind === 'changed' ? 'added' : undefined} />
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
