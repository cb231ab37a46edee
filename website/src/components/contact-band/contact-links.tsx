import Link from '@docusaurus/Link';
import { contactAbout } from '@site/content/contact-links';
import styles from './contact-links.module.css';

export interface ContactSubjects {
  subject: string;
  /** Subject of the quote button, if it differs. */
  quoteSubject?: string;
}

/** Two buttons that open the contact form with the subject filled in. */
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
