import type { UseQueryResult } from '@tanstack/react-query';
import { Loading } from '../../../components/feedback/loading.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { ScrollFrame } from '../../../components/scroll/scroll-frame.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import type { Preview } from './preview.js';

const CELL_CHARS = 80;

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  const text = inReadingOrder(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > CELL_CHARS ? `${text.slice(0, CELL_CHARS)}…` : text;
};

interface PreviewTableProps {
  query: UseQueryResult<Preview>;
  rows: readonly Map<string, unknown>[];
  columns: readonly string[];
  /** True if the rows exist only later, as those of a run that has not started. */
  isLater: boolean;
  /** True if the rows of the preview are not filtered yet. */
  isUnfiltered: boolean;
}

function totalWords({ total, isCapped, rows }: Preview): string {
  const count = total ?? rows.length;
  return `${isCapped ? 'More than ' : ''}${count.toLocaleString()} ${count === 1 ? 'row' : 'rows'}`;
}

/** The first rows of the file that the form describes. */
export function PreviewTable({ query, rows, columns, isLater, isUnfiltered }: PreviewTableProps) {
  const preview = query.data;
  return (
    <section className="export-preview card" aria-label="Preview" aria-busy={query.isFetching}>
      <header>
        <h2>Preview</h2>
        <span className="cell-sub" role="status">
          {query.isFetching ? <Loading what="the preview" size="xs" /> : preview && totalWords(preview)}
        </span>
      </header>
      {isLater ? (
        <p className="tab-note">Each file has the rows of one run, so there is nothing to show yet.</p>
      ) : query.isError ? (
        <ErrorState inset what="The preview could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : !preview ? (
        <p className="tab-note">
          {query.isFetching ? 'Loading the first rows…' : 'Choose the data to see its first rows.'}
        </p>
      ) : rows.length === 0 ? (
        <p className="tab-note">Nothing matches, so the file would be empty.</p>
      ) : (
        <ScrollFrame label="Rows of the preview">
          {isUnfiltered && <p className="tab-note">The preview shows the rows of the run before the filter.</p>}
          <table className="table" aria-label="First rows">
            <thead>
              <tr>
                {columns.map(column => (
                  <th scope="col" key={column}>
                    <span className="clip" title={inReadingOrder(column)}>
                      {inReadingOrder(column)}
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, position) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of a preview have no identity but their position.
                <tr key={position}>
                  {columns.map(column => (
                    <td key={column}>
                      <span className="clip">{textOf(row.get(column))}</span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollFrame>
      )}
    </section>
  );
}
