import { parseProgress, parseTable } from '../drawn-texts.js';

/** A bar for progress; the text itself if it names no total. */
export function EchoProgress({ msg }: { msg: string }) {
  const value = parseProgress(msg);
  if (value === null) return msg;
  const { label, total } = value;
  const done = Math.min(value.done, total);
  return (
    <span className="echo-progress">
      <span>{msg}</span>
      <progress value={done} max={total} aria-label={label || 'Progress'} />
      <span>{Math.floor((done / total) * 100)}%</span>
    </span>
  );
}

/** A table; the text itself if it is not one. */
export function EchoTable({ msg }: { msg: string }) {
  const table = parseTable(msg);
  if (table === null) return msg;
  const { names, rows, note } = table;
  return (
    <div className="echo-table">
      <table>
        <thead>
          <tr>
            {names.map((name, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of an echo never change.
              <th key={column} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of an echo never change.
            <tr key={row}>
              {names.map((_, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns of an echo never change.
                <td key={column}>{cells[column]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {note && <p className="echo-note">{note}</p>}
    </div>
  );
}
