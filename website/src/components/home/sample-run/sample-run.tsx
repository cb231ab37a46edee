import { MDXProvider } from '@mdx-js/react';
import run from '@site/content/sample-run.json';
import SeaStories from '@site/src/pages/_sea-stories.mdx';
import CodeBlock from '@theme/CodeBlock';
import { type CSSProperties, type ReactNode, useRef } from 'react';
import { SampleRows } from '../../docs/sample-rows';
import styles from './sample-run.module.css';
import { useReplay } from './use-replay';

const { duration_ms: durationMs, echoes, output } = run;
/** The run took less than a second, which is too fast to watch. */
const TIMES_SLOWER = 4;

const clock = (iso: string) => iso.slice(11, 23);

/** Returns the style that delays the animation of a part of the run by `ms` of the run. */
const at = (ms: number): CSSProperties & Record<'--at', string> => ({ '--at': `${ms * TIMES_SLOWER}ms` });

/** The sample skript and a recorded run of it (see scripts/record-sample.mjs), with `children` beside its code. */
export function SampleRun({ children }: { children: ReactNode }) {
  const results = useRef<HTMLDivElement>(null);
  const { state, replay } = useReplay(results);
  return (
    <div className={styles.stage} data-state={state} style={at(durationMs)}>
      {children}
      <div className={styles.code}>
        <MDXProvider components={{ CodeBlock }}>
          <SeaStories />
        </MDXProvider>
      </div>
      <div ref={results} className={styles.results}>
        <section className={styles.pane} aria-label="Echoes of the run">
          <div className={styles.head}>
            <h2>Echoes</h2>
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
          <p className={styles.output}>
            <span className={styles.piece} style={at(durationMs)}>
              Output <code>{JSON.stringify(output)}</code>
            </span>
          </p>
          <p className={styles.note}>
            A recorded run. It took {durationMs} ms and plays {TIMES_SLOWER} times slower.
          </p>
        </section>
        <section className={styles.pane} aria-label="Rows stored by the run">
          <div className={styles.head}>
            <h2>Rows</h2>
            <code>sea_stories</code>
          </div>
          <SampleRows
            className={styles.rows}
            rowProps={echo => ({ className: styles.piece, style: at(echoes[echo]?.at_ms ?? durationMs) })}
          />
        </section>
      </div>
    </div>
  );
}
