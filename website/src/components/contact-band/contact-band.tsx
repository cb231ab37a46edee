import Link from '@docusaurus/Link';
import { CONTACT_BAND, OFFER_BAND } from '@site/content/contact-band';
import { Mesh } from '../mesh/mesh';
import { useByServices } from '../site/services';
import styles from './contact-band.module.css';
import { ContactLinks, type ContactSubjects } from './contact-links';

/** Contact band at the end of a page, with the page's `subject` if it offers a service. */
export function ContactBand({ subject, quoteSubject }: Partial<ContactSubjects>) {
  const general = useByServices(CONTACT_BAND);
  const { title, text } = subject ? OFFER_BAND : general;
  const { contact, demo } = CONTACT_BAND.actions;
  return (
    <section className={styles.contact}>
      <div className={styles.net}>
        <Mesh columns={30} rows={8} lit={['21,3', '25,5']} />
      </div>
      <div className={`container ${styles.text}`}>
        <h2>{title}</h2>
        <p>{text}</p>
        {subject ? (
          <ContactLinks subject={subject} quoteSubject={quoteSubject} />
        ) : (
          <div className={styles.actions}>
            <Link className="action" to={contact.to}>
              {contact.label}
            </Link>
            <Link className="action action--quiet" to={demo.to}>
              {demo.label}
            </Link>
          </div>
        )}
      </div>
    </section>
  );
}
