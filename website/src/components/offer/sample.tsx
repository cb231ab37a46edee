import useBaseUrl from '@docusaurus/useBaseUrl';
import type { OfferSample } from '@site/src/plugins/remark/offer-sample';
import CodeBlock from '@site/src/theme/CodeBlock';
import { useState } from 'react';
import { ScrollTable } from '../docs/scroll-table';
import { TableHead } from '../docs/table-head';
import styles from './sample.module.css';

interface SampleProps {
  slug: string;
  /** Source of the sample. */
  about: string;
  sample: OfferSample;
}

/** Sample with download links, first rows and its skript. */
export function Sample({ slug, about, sample: { code, rows, total } }: SampleProps) {
  const file = useBaseUrl(`/samples/${slug}-synthetic`);
  const [isWhole, setWhole] = useState(false);
  const columns = Object.keys(rows[0] ?? {});
  return (
    <section className="section section--surface" id="sample">
      <div className="container">
        <h2>A sample, and the skript that made it</h2>
        <p className="section__lead">
          <b className={styles.label}>Synthetic</b> {about}
        </p>
        <div className={styles.downloads}>
          <a href={`${file}.json`} download>
            Download {total} rows as JSON
          </a>
          <a href={`${file}.csv`} download>
            as CSV
          </a>
        </div>
        <ScrollTable className={styles.rows}>
          <TableHead columns={columns} />
          <tbody>
            {rows.map(row => (
              <tr key={JSON.stringify(row)}>
                {columns.map(column => (
                  <td key={column}>{row[column] === null ? <i>null</i> : String(row[column])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </ScrollTable>
        <p className={styles.caption}>
          {rows.length} of {total} rows, {columns.length} columns. The table scrolls sideways.
        </p>
        <div className={styles.code} data-whole={isWhole}>
          <CodeBlock title="main.js" html={code} />
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show less' : `Show all ${code.split('\n').length} lines`}
          </button>
        </div>
      </div>
    </section>
  );
}
