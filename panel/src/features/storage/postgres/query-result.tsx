import { Button } from '@mantine/core';
import { useState } from 'react';
import type { PostgresResult } from '../../../api/entities.js';
import { RowsTable } from '../../../components/list/rows-table.js';
import { durationText } from '../../../components/values/duration-text.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { cellText } from '../document-columns.js';

/** Number of rows drawn at first. Drawing 1,000 wide rows would block the page. */
const ROWS_AT_ONCE = 100;

function summary({ command, row_count: count, duration_ms: ms, rows, truncated }: PostgresResult): string {
  if (truncated) {
    return `The first ${rows.length.toLocaleString()} rows in ${durationText(ms)}. Add a LIMIT, or export all of them.`;
  }
  const counted = count === null ? '' : `, ${count.toLocaleString()} ${count === 1 ? 'row' : 'rows'}`;
  return `${command}${counted} in ${durationText(ms)}`;
}

/** The rows that a statement returned. */
export function QueryResult({ result }: { result: PostgresResult }) {
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const { fields, rows } = result;
  return (
    <section className="card" aria-label="Result">
      <p className="sql-summary" role="status">
        {summary(result)}
      </p>
      {fields.length > 0 && (
        <RowsTable
          label="Rows of the result"
          head={fields.map(({ name, type }) => ({
            hint: `${inReadingOrder(name)}, ${type}`,
            title: (
              <>
                <span className="clip">{inReadingOrder(name)}</span>
                <span className="cell-sub">{type}</span>
              </>
            ),
          }))}
          rows={rows.slice(0, shown).map(row => row.map(value => (value === null ? null : cellText(value))))}
        />
      )}
      {rows.length > shown && (
        <div className="list-foot">
          <span>
            {shown} of {rows.length.toLocaleString()} rows shown
          </span>
          <Button size="compact-sm" variant="default" onClick={() => setShown(rows.length)}>
            Show all
          </Button>
        </div>
      )}
    </section>
  );
}
