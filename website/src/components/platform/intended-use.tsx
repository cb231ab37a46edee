import { INTENDED_USE } from '@site/content/pages/platform';
import Heading from '@theme/Heading';
import styles from './intended-use.module.css';

export function IntendedUse() {
  const { title, fits, misfits } = INTENDED_USE;
  return (
    <section className="section section--surface">
      <div className="container">
        <Heading as="h2" id="intended-use">
          {title}
        </Heading>
        <div className={styles.two}>
          {[fits, misfits].map(side => (
            <div key={side.title} className={side === fits ? styles.fits : styles.misfits}>
              <h3>{side.title}</h3>
              <ul>
                {side.points.map(point => (
                  <li key={point}>{point}</li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
