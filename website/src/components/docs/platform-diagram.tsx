import styles from './platform-diagram.module.css';

/** Diagram of the connections between components. It uses HTML boxes, so that text keeps its size on phones. */
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
              <span>a process for one run, with access to the internet only</span>
            </div>
            <div>
              <b>Pool</b>
              <span>sandboxed processes that wait for a run</span>
            </div>
          </div>
        </div>
      </div>
      <figcaption>Arrows start at the side that opens the connection.</figcaption>
    </figure>
  );
}
