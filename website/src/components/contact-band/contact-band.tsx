import Link from '@docusaurus/Link';
import { CONTACT_BAND } from '@site/content/contact-band';
import { Mesh } from '../mesh/mesh';
import styles from './contact-band.module.css';

/** Ends a page: deep water again, and two ways to write. */
export function ContactBand() {
  const { title, text, actions } = CONTACT_BAND;
  return (
    <section className={styles.contact}>
      <div className={styles.net}>
        <Mesh columns={30} rows={8} lit={['21,3', '25,5']} />
      </div>
      <div className={`container ${styles.text}`}>
        <h2>{title}</h2>
        <p>{text}</p>
        <div className={styles.actions}>
          <Link className="action" to={actions.contact.to}>
            {actions.contact.label}
          </Link>
          <Link className="action action--quiet" to={actions.demo.to}>
            {actions.demo.label}
          </Link>
        </div>
      </div>
    </section>
  );
}
