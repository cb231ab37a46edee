import type { OfferMatter } from '@site/content/offers';
import { TableHead } from '../docs/table-head';
import { Fold } from '../fold/fold';
import styles from './field-contract.module.css';

const TYPE_WORDS = {
  text: 'text',
  integer: 'whole number',
  decimal: 'decimal number',
  boolean: 'true or false',
  date: 'date, ISO 8601',
  time: 'time, ISO 8601, UTC',
  address: 'web address',
} as const;

/** Table of the fields of a row, which the quality gates check. */
export function FieldContract({ offer }: { offer: OfferMatter }) {
  return (
    <Fold id="fields" title={`What is in a row: ${offer.fields.length} fields`}>
      <p>
        {offer.row} A field marked “always” has a value in every row; “if shown” means null when the source does not
        show it.{' '}
        {offer.fields.some(({ personal }) => personal)
          ? 'The table marks fields with personal data; no other field has any.'
          : 'No field has personal data.'}
      </p>
      <table className={styles.contract}>
        <TableHead columns={['Field', 'Type', 'Example', 'Filled']} />
        <tbody>
          {offer.fields.map(({ name, type, example, filled, personal, note }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
                {personal && <b>personal data</b>}
                {note && <span>{note}</span>}
              </th>
              <td data-label="Type">{TYPE_WORDS[type]}</td>
              <td data-label="Example" className={styles.example}>
                {String(example)}
              </td>
              <td data-label="Filled">{filled}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Fold>
  );
}
