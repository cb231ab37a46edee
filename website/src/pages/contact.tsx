import Link from '@docusaurus/Link';
import { CONTACT, CONTACT_HEAD } from '@site/content/pages/contact';
import { MailAddress } from '@site/src/components/contact/mail-address';
import { ContactForm } from '@site/src/components/forms/contact-form';
import styles from '@site/src/components/forms/form-page.module.css';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import { PageHeader } from '@site/src/components/page-header/page-header';
import { useByServices } from '@site/src/components/site/services';
import Layout from '@theme/Layout';

export default function Contact() {
  const { formTitle, helps, after } = CONTACT;
  const { heading, lead, ...meta } = useByServices(CONTACT_HEAD);
  return (
    <Layout>
      <PageMeta {...meta} />
      <main>
        <PageHeader title={heading} lead={lead} picture={<MailAddress />} />
        <div className={`container ${styles.page}`}>
          <section className={styles.card}>
            <h2>{formTitle}</h2>
            <ContactForm />
          </section>
          <div className={styles.aside}>
            <section>
              <h2>{helps.title}</h2>
              <ul className={styles.knots}>
                {helps.items.map(item => (
                  <li key={item}>{item}</li>
                ))}
              </ul>
            </section>
            <section>
              <h2>{after.title}</h2>
              <ol className={styles.knots}>
                {after.items.map(({ title, text }) => (
                  <li key={title}>
                    <b>{title}</b>
                    {text}
                  </li>
                ))}
              </ol>
              <p>
                {after.privacy} <Link to="/legal/privacy-policy">{after.privacyLink}</Link>.
              </p>
            </section>
          </div>
        </div>
      </main>
    </Layout>
  );
}
