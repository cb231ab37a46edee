import run from '@site/content/sample-run.json';
import SeaStories from '@site/src/pages/_sea-stories.mdx';
import MDXContent from '@theme/MDXContent';
import { type CSSProperties, useRef } from 'react';
import { PanelPicture } from '../../docs/panel-picture';
import { SampleRows } from '../../docs/sample-rows';
import styles from './sample-run.module.css';
import { useReplay } from './use-replay';

const { worker, duration_ms: durationMs, echoes, output } = run;

const clock = (iso: string) => iso.slice(11, 23);

/** Returns the style that delays the animation of a part of the run by `ms`. */
const at = (ms: number): CSSProperties & Record<'--at', string> => ({ '--at': `${ms}ms` });

/** The sample skript and a recorded run of it; see scripts/record-sample.mjs. */
export function SampleRun() {
  const results = useRef<HTMLDivElement>(null);
  const { state, replay } = useReplay(results);
  return (
    <section className="section">
      <div className="container">
        <h2>A skript and what it produced</h2>
        <p className="section__lead">
          It walks through one shelf of the practice shop and stores a row for each book. Beside it, the echoes of a run
          on the worker “{worker}” and some of its rows, at the speed at which they came: it took{' '}
          {durationMs.toLocaleString('en-GB')} ms.
        </p>
        <div className={styles.pair} data-state={state} style={at(durationMs)}>
          <div className={styles.code}>
            <MDXContent>
              <SeaStories />
            </MDXContent>
          </div>
          <div ref={results} className={styles.results}>
            <section className={styles.pane} aria-label="Echoes of the run">
              <div className={styles.head}>
                <h3>Echoes</h3>
                <button type="button" className={styles.replay} onClick={replay} hidden={!replay}>
                  Replay
                </button>
              </div>
              <ol className={styles.echoes}>
                {echoes.map(({ time, at_ms, msg }) => (
                  <li key={time + msg} className={styles.piece} style={at(at_ms)}>
                    <time dateTime={time}>{clock(time)}</time>
                    <span>{msg}</span>
                  </li>
                ))}
              </ol>
            </section>
            <section className={styles.pane} aria-label="Rows stored by the run">
              <div className={styles.head}>
                <h3>Rows</h3>
                <code>sea_stories</code>
              </div>
              <SampleRows
                className={styles.rows}
                rowProps={echo => ({ className: styles.piece, style: at(echoes[echo]?.at_ms ?? durationMs) })}
              />
            </section>
            <section className={styles.pane} aria-label="Output of the run">
              <div className={styles.head}>
                <h3>Output</h3>
              </div>
              <pre className={`${styles.output} ${styles.piece}`} style={at(durationMs)}>
                <code>{JSON.stringify(output)}</code>
              </pre>
            </section>
          </div>
        </div>
        <figure className={styles.panel}>
          <PanelPicture
            name="run"
            alt={`The page of the run in the panel: action end, worker ${worker}, the output stored: ${output.stored}, and ${echoes.length} saved echoes.`}
          />
          <figcaption>The same run in the panel, where its output and echoes can be read again.</figcaption>
        </figure>
      </div>
    </section>
  );
}
