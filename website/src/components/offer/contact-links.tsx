import Link from '@docusaurus/Link';
import { contactAbout } from '@site/content/contact-links';
import styles from './contact-links.module.css';

/** The two calls to action of an offer, both to the contact form with its subject filled in. */
export function ContactLinks({ subject }: { subject: string }) {
  const to = contactAbout(subject);
  return (
    <div className={styles.links}>
      <Link className="action" to={to}>
        Contact Us
      </Link>
      <Link className="action action--quiet" to={to}>
        Request a Quote
      </Link>
    </div>
  );
}
