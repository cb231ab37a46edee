import type { OfferSample } from '@site/src/plugins/remark/offer-sample';
import styles from './sample-row.module.css';

const SHOWN_FIELDS = 9;

/** The first row of the sample. */
export function SampleRow({ sample: { rows } }: { sample: OfferSample }) {
  const fields = Object.entries(rows[0] ?? {});
  const more = fields.length - SHOWN_FIELDS;
  return (
    <figure className={styles.row}>
      <figcaption>After: one row</figcaption>
      <dl>
        {fields.slice(0, SHOWN_FIELDS).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{String(value)}</dd>
          </div>
        ))}
      </dl>
      {more > 0 && <a href="#fields">and {more} more fields</a>}
    </figure>
  );
}
