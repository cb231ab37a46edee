import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { CONTACT } from '@site/content/contact';
import { Envelope } from './envelope';
import styles from './mail-address.module.css';

/** The general address, beside its envelope. */
export function MailAddress() {
  const { email } = useDocusaurusContext().siteConfig.customFields as { email: string };
  return (
    <div className={styles.mail}>
      <div className={styles.picture}>
        <Envelope title={CONTACT.mail.pictureText} />
      </div>
      <p>
        {CONTACT.mail.label}
        <a href={`mailto:${email}`}>{email}</a>
      </p>
    </div>
  );
}
