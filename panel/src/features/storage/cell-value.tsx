import { RelativeTime } from '../../components/values/relative-time.js';
import { cellText, timeOf } from './document-columns.js';

/** A value of a document or row in a table. */
export function CellValue({ value, mono = false }: { value: unknown; mono?: boolean }) {
  if (value === undefined) return null;
  if (value === null) return <span className="null-value">null</span>;
  const time = timeOf(value);
  if (time !== null) return <RelativeTime iso={time} />;
  const text = cellText(value);
  return (
    <span className={mono ? 'mono clip' : 'clip'} title={text}>
      {text}
    </span>
  );
}
