import '../../styles/runs/changes.css';
import { inReadingOrder } from '../values/in-reading-order.js';
import { valueText } from './key-text.js';

/** Fields that are shown at first. */
const SHOWN = 5;

type Fields = Record<string, { was?: unknown; now?: unknown }>;

function Value({ of, as: Tag }: { of: unknown; as: 'del' | 'ins' }) {
  if (of === null || of === undefined) return <span className="null-value">no value</span>;
  const text = valueText(of);
  return (
    <Tag className="three-lines" title={text}>
      {text === '' ? <span className="null-value">empty text</span> : text}
    </Tag>
  );
}

function FieldList({ fields }: { fields: [string, Fields[string]][] }) {
  return (
    <ul className="changed-fields">
      {fields.map(([field, { was, now }]) => (
        <li key={field}>
          <span className="changed-field">{inReadingOrder(field)}</span>
          <span className="visually-hidden">was</span>
          <Value of={was} as="del" />
          <span aria-hidden="true">→</span>
          <span className="visually-hidden">now</span>
          <Value of={now} as="ins" />
        </li>
      ))}
    </ul>
  );
}

/** The fields of a row that have other values, each as was → now. */
export function ChangedFields({ fields }: { fields: Fields }) {
  const all = Object.entries(fields);
  return (
    <>
      <FieldList fields={all.slice(0, SHOWN)} />
      {all.length > SHOWN && (
        <details>
          <summary>{all.length - SHOWN} more</summary>
          <FieldList fields={all.slice(SHOWN)} />
        </details>
      )}
    </>
  );
}

/** The values of a row that only one of two runs has. */
export function RowValues({ row }: { row: Record<string, unknown> }) {
  const all = Object.entries(row);
  return (
    <ul className="changed-fields row-values">
      {all.slice(0, SHOWN).map(([field, value]) => (
        <li key={field}>
          <span className="changed-field">{inReadingOrder(field)}</span>
          <span className="three-lines" title={valueText(value)}>
            {valueText(value)}
          </span>
        </li>
      ))}
      {all.length > SHOWN && <li className="cell-sub">and {all.length - SHOWN} more fields</li>}
    </ul>
  );
}
