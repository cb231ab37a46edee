import styles from './run-states.module.css';

/** The life of an execution: asked for, running, paused meanwhile, three ends. */
export function RunStates() {
  return (
    <figure className={styles.figure}>
      <div className={styles.box}>
        <b>asked for</b>
        <span>
          <code>start</code>, <code>waiting_for</code> says why
        </span>
      </div>
      <p className={styles.step}>a worker takes it</p>
      <div className={`${styles.box} ${styles.running}`}>
        <b>running</b>
        <span>
          <code>start</code>, <code>waiting_for</code> is null
        </span>
        <div className={styles.box}>
          <b>paused, until it is resumed</b>
          <span>
            <code>pause</code>, every process stands still
          </span>
        </div>
      </div>
      <ul className={styles.ends}>
        <li>
          <span>main.js returned</span>
          <code className={styles.end}>end</code>
        </li>
        <li>
          <span>somebody stopped it</span>
          <code className={styles.stop}>stop</code>
        </li>
        <li>
          <span>anything else</span>
          <code className={styles.error}>error</code>
        </li>
      </ul>
      <figcaption>
        A run can be paused, stopped, and end with an error before a worker takes it too. A retry is another execution,
        which begins at the top.
      </figcaption>
    </figure>
  );
}
