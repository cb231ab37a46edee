import type { OfferMatter } from '@site/content/offers';
import { DELIVERY_NOTE } from '@site/content/pages/services-page';
import { TableHead } from '../docs/table-head';
import { Fold } from '../fold/fold';
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

/** Benefits and scope of the work. */
export function Scope({ offer }: Offered) {
  return (
    <section className="section" id="benefits">
      <div className={`container ${styles.scope}`}>
        <div>
          <h2>Benefits</h2>
          <ul className={styles.benefits}>
            {offer.benefits.map(({ title, text }) => (
              <li key={title}>
                <b>{title}.</b> {text}
              </li>
            ))}
          </ul>
        </div>
        <div>
          <h2>Included services</h2>
          <ul className={styles.included}>
            {offer.included.map(item => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}

/** Quality gates, compliance, what is not included, price and questions. */
export function Terms({ offer }: Offered) {
  return (
    <>
      <Fold id="quality-gates" title="Quality gates">
        <p>{offer.gates_lead ?? 'Checked on every delivery, before you see it.'}</p>
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
      </Fold>
      <Fold id="not-included" title="Not included">
        <ul className={styles.excluded}>
          {offer.not_included.map(item => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </Fold>
      <Fold id="compliance" title="Compliance">
        <dl className={`tiles ${styles.law}`}>
          {offer.compliance.map(({ title, text }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </Fold>
      <Fold id="price" title="What drives the price">
        <ul className={styles.price}>
          {offer.price.map(driver => (
            <li key={driver}>{driver}</li>
          ))}
        </ul>
      </Fold>
      <Fold id="questions" title="Questions">
        <Questions questions={offer.questions} />
      </Fold>
    </>
  );
}
