import useBaseUrl from '@docusaurus/useBaseUrl';
import type { OfferSample } from '@site/src/plugins/remark/offer-sample';
import CodeBlock from '@site/src/theme/CodeBlock';
import { ScrollTable } from '../docs/scroll-table';
import { TableHead } from '../docs/table-head';
import styles from './sample.module.css';
import { SampleRow } from './sample-row';

interface SampleProps {
  slug: string;
  /** Source of the sample. */
  about: string;
  sample: OfferSample;
}

/** Sample: the source beside the row that was made of it, more rows, download links, and the skript. */
export function Sample({ slug, about, sample }: SampleProps) {
  const { before, code, rows, total } = sample;
  const file = useBaseUrl(`/samples/${slug}-synthetic`);
  const columns = Object.keys(rows[0] ?? {});
  return (
    <section className="section" id="sample">
      <div className="container">
        <h2>Before and after</h2>
        <p className="section__lead">
          <b className={styles.label}>Synthetic</b> {about}
        </p>
        <div className={styles.pair}>
          <figure className={styles.before}>
            <figcaption>
              Before: <code>{before.file}</code>
            </figcaption>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
            <pre tabIndex={0}>{before.text}</pre>
          </figure>
          <SampleRow sample={sample} />
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
        <p className={styles.downloads}>
          <span>
            {rows.length} of {total} rows.
          </span>
          <a href={`${file}.json`} download>
            Download all as JSON
          </a>
          <a href={`${file}.csv`} download>
            as CSV
          </a>
        </p>
        <details className="fold" data-whole>
          <summary>The skript that made it, {code.split('\n').length} lines</summary>
          <CodeBlock title="main.js" html={code} />
        </details>
      </div>
    </section>
  );
}
