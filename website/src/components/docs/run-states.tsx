import styles from './run-states.module.css';

/** Diagram of the states of an execution. */
export function RunStates() {
  return (
    <figure className={styles.figure}>
      <div className={styles.box}>
        <b>asked for</b>
        <span>
          <code>start</code>, <code>waiting_for</code> says why
        </span>
      </div>
      <p className={styles.step}>a worker accepts it</p>
      <div className={`${styles.box} ${styles.running}`}>
        <b>running</b>
        <span>
          <code>start</code>, <code>waiting_for</code> is null
        </span>
        <div className={styles.box}>
          <b>paused, until it is resumed</b>
          <span>
            <code>pause</code>, all processes are frozen
          </span>
        </div>
      </div>
      <ul className={styles.ends}>
        <li>
          <span>main.js returned</span>
          <code className={styles.end}>end</code>
        </li>
        <li>
          <span>a user stopped it</span>
          <code className={styles.stop}>stop</code>
        </li>
        <li>
          <span>anything else</span>
          <code className={styles.error}>error</code>
        </li>
      </ul>
      <figcaption>
        A run can also be paused, stopped or end with an error before a worker accepts it. A retry is a new execution,
        which starts at the top.
      </figcaption>
    </figure>
  );
}
