import Link from '@docusaurus/Link';
import { CONTACT } from '@site/content/home';
import { Mesh } from '../mesh/mesh';
import styles from './contact.module.css';

export function Contact() {
  const { title, text, actions } = CONTACT;
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
