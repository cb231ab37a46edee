import run from '@site/content/sample-run.json';
import SeaStories from '@site/src/pages/_sea-stories.mdx';
import MDXContent from '@theme/MDXContent';
import ThemedImage from '@theme/ThemedImage';
import { SampleRows } from '../sample-rows';
import styles from './sample-run.module.css';

const clock = (iso: string) => iso.slice(11, 23);

/** The sample skript beside what a run of it really made; both come from files, see scripts/record-sample.mjs. */
export function SampleRun() {
  const { worker, duration_ms, echoes, output } = run;
  return (
    <section className="section">
      <div className="container">
        <h2>A skript, and what came of it</h2>
        <p className="section__lead">
          It walks through one shelf of the practice shop and stores a row for each book. Beside it, the echoes and rows
          of a run on the worker “{worker}”, which took {duration_ms.toLocaleString('en-GB')} ms.
        </p>
        <div className={styles.pair}>
          <div className={styles.code}>
            <MDXContent>
              <SeaStories />
            </MDXContent>
          </div>
          <div className={styles.results}>
            <section className={styles.pane} aria-label="Echoes of the run">
              <h3>Echoes</h3>
              <ol className={styles.echoes}>
                {echoes.map(({ time, msg }) => (
                  <li key={time + msg}>
                    <time dateTime={time}>{clock(time)}</time>
                    <span>{msg}</span>
                  </li>
                ))}
              </ol>
            </section>
            <section className={styles.pane} aria-label="Rows stored by the run">
              <h3>
                Rows <code>sea_stories</code>
              </h3>
              <SampleRows className={styles.rows} />
            </section>
            <section className={styles.pane} aria-label="Output of the run">
              <h3>Output</h3>
              <pre className={styles.output}>
                <code>{JSON.stringify(output)}</code>
              </pre>
            </section>
          </div>
        </div>
        <figure className={styles.panel}>
          <ThemedImage
            alt="The page of a run in the panel: action end, worker local, the output stored: 102, and six saved echoes."
            sources={{ light: '/img/panel-run-light.webp', dark: '/img/panel-run-dark.webp' }}
            width={1280}
            height={800}
            loading="lazy"
          />
          <figcaption>The same run in the panel, where its output and echoes can be read again.</figcaption>
        </figure>
      </div>
    </section>
  );
}
