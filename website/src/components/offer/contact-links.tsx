import Link from '@docusaurus/Link';
import { contactAbout } from '@site/content/contact-links';
import styles from './contact-links.module.css';

export interface ContactSubjects {
  subject: string;
  /** Where asking for a quote is about something else. */
  quoteSubject?: string;
}

/** The two calls to action of an offer, both to the contact form with its subject filled in. */
export function ContactLinks({ subject, quoteSubject = subject }: ContactSubjects) {
  return (
    <div className={styles.links}>
      <Link className="action" to={contactAbout(subject)}>
        Contact Us
      </Link>
      <Link className="action action--quiet" to={contactAbout(quoteSubject)}>
        Request a Quote
      </Link>
    </div>
  );
}
