import styles from './platform-diagram.module.css';

/** Who talks to whom. Boxes rather than a drawing, so that the words keep their size on a phone. */
export function PlatformDiagram() {
  return (
    <figure className={styles.figure}>
      <div className={styles.row}>
        <div className={styles.stack}>
          <div className={styles.box}>
            <b>Web panel</b>
            <span>React app in your browser</span>
          </div>
          <div className={styles.box}>
            <b>Your programs</b>
            <span>HTTP with a bearer token</span>
          </div>
        </div>
        <p className={styles.wire}>
          <span>Joint API and live socket</span>
        </p>
        <div className={`${styles.box} ${styles.main}`}>
          <b>Backend</b>
          <span>NestJS; bundles, queues, records, and the only one that opens a database</span>
          <div className={styles.stores}>
            <div>
              <b>PostgreSQL</b>
              <span>accounts, skripts, runs, echoes</span>
            </div>
            <div>
              <b>MongoDB</b>
              <span>the rows your runs store</span>
            </div>
          </div>
        </div>
        <p className={`${styles.wire} ${styles.back}`}>
          <span>socket that the worker opens</span>
        </p>
        <div className={styles.box}>
          <b>Worker</b>
          <span>one or many, on any machine</span>
          <div className={styles.stores}>
            <div className={styles.run}>
              <b>Sandbox</b>
              <span>a process for one run; of the network, only the internet</span>
            </div>
            <div>
              <b>Pool</b>
              <span>sandboxed processes that wait for a run</span>
            </div>
          </div>
        </div>
      </div>
      <figcaption>Arrows point from the one who opens the connection.</figcaption>
    </figure>
  );
}
