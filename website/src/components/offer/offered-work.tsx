import type { OfferMatter } from '@site/content/offers';
import { DELIVERY_NOTE } from '@site/content/pages/services-page';
import { TableHead } from '../docs/table-head';
import { Questions } from '../questions/questions';
import styles from './offer-page.module.css';

interface Offered {
  offer: OfferMatter;
}

/** Box beside the explanation: what is delivered, how often and where to. */
export function Glance({ offer }: Offered) {
  return (
    <dl className={styles.glance}>
      <dt>One row</dt>
      <dd>{offer.row.replace(/^One row is /, '')}</dd>
      <dt>Refresh</dt>
      <dd>{offer.refresh}</dd>
      <dt>Delivery</dt>
      <dd>
        <ul>
          {offer.delivery.map(way => (
            <li key={way}>{way}</li>
          ))}
        </ul>
        <p>{DELIVERY_NOTE}</p>
      </dd>
      <dt>When the source changes</dt>
      <dd>{offer.change}</dd>
    </dl>
  );
}

/** Benefits, scope and quality gates of the work. */
export function Scope({ offer }: Offered) {
  return (
    <>
      <section className="section" id="benefits">
        <div className={`container ${styles.benefits}`}>
          <h2>Benefits</h2>
          <div className="tiles">
            {offer.benefits.map(({ title, text }) => (
              <div key={title} className={styles.benefit}>
                <h3>{title}</h3>
                <p>{text}</p>
              </div>
            ))}
          </div>
          <div className={styles.scope}>
            <div>
              <h2>Included services</h2>
              <ul className={styles.included}>
                {offer.included.map(item => (
                  <li key={item}>{item}</li>
                ))}
              </ul>
            </div>
            <div>
              <h2>Not included</h2>
              <ul className={styles.excluded}>
                {offer.not_included.map(item => (
                  <li key={item}>{item}</li>
                ))}
              </ul>
            </div>
          </div>
        </div>
      </section>

      <section className="section section--surface" id="quality-gates">
        <div className="container">
          <h2>Quality gates</h2>
          <p className="section__lead">{offer.gates_lead ?? 'Checked on every delivery, before you see it.'}</p>
          <table className={styles.gates}>
            <TableHead columns={['What is checked', 'Limit', 'Otherwise']} />
            <tbody>
              {offer.gates.map(({ check, limit, otherwise }) => (
                <tr key={check}>
                  <th scope="row">{check}</th>
                  <td data-label="Limit">{limit}</td>
                  <td data-label="Otherwise">{otherwise}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

/** Compliance, price and questions. */
export function Terms({ offer }: Offered) {
  return (
    <>
      <section className="section" id="compliance">
        <div className={`container ${styles.law}`}>
          <h2>Compliance</h2>
          <dl className="tiles">
            {offer.compliance.map(({ title, text }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </div>
      </section>

      <section className="section section--surface" id="price">
        <div className={`container ${styles.last}`}>
          <div>
            <h2>What drives the price</h2>
            <ul className={styles.price}>
              {offer.price.map(driver => (
                <li key={driver}>{driver}</li>
              ))}
            </ul>
          </div>
          <div>
            <h2>Questions</h2>
            <Questions questions={offer.questions} />
          </div>
        </div>
      </section>
    </>
  );
}
