import { PRICE_DRIVERS } from '@site/content/pages/pricing';
import Heading from '@theme/Heading';
import styles from './price-drivers.module.css';

export function PriceDrivers() {
  return (
    <section className="section">
      <div className="container">
        <Heading as="h2" id="what-drives-a-price">
          What drives a price
        </Heading>
        <p className="section__lead">
          Eight factors, and how each affects the price. If you know these factors before you write, you get an answer
          sooner.
        </p>
        <ul className={styles.drivers}>
          {PRICE_DRIVERS.map(({ what, less, more }) => (
            <li key={what}>
              <h3>{what}</h3>
              <p>
                <b>Less work</b> {less}
              </p>
              <p>
                <b className={styles.more}>More work</b> {more}
              </p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
