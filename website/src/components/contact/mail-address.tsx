import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { CONTACT } from '@site/content/pages/contact';
import { Envelope } from './envelope';
import styles from './mail-address.module.css';

/** General e-mail address with its envelope. */
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
