import Link from '@docusaurus/Link';
import { SIGN_UP_PAGE } from '@site/content/pages/sign-up';
import styles from '@site/src/components/forms/form-page.module.css';
import { SignUpForm } from '@site/src/components/forms/sign-up-form';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import { PageHeader } from '@site/src/components/page-header/page-header';
import { PanelLink } from '@site/src/components/site/panel-link';
import Layout from '@theme/Layout';

export default function SignUp() {
  const { heading, lead, formLabel, pack, after, signIn, signInLink } = SIGN_UP_PAGE;
  return (
    <Layout>
      <PageMeta {...SIGN_UP_PAGE} />
      <main>
        <PageHeader title={heading} lead={lead} />
        <div className={`container ${styles.page}`}>
          <section className={styles.card} aria-label={formLabel}>
            <SignUpForm />
          </section>
          <div className={styles.aside}>
            <section>
              <h2>{pack.title}</h2>
              <ul className={styles.knots}>
                {pack.items.map(({ title, text }) => (
                  <li key={title}>
                    <b>{title}</b>
                    {text}
                  </li>
                ))}
              </ul>
              <div className={styles.wait}>
                <b>{pack.wait.title}</b>
                <p>{pack.wait.text}</p>
              </div>
              <p>
                {pack.price} <Link to="/pricing">{pack.priceLink}</Link>.
              </p>
            </section>
            <section>
              <h2>{after.title}</h2>
              <ol className={styles.knots}>
                {after.items.map(item => (
                  <li key={item}>{item}</li>
                ))}
              </ol>
              <p>{after.adults}</p>
            </section>
            <section>
              <p>
                {signIn} <PanelLink>{signInLink}</PanelLink>
              </p>
            </section>
          </div>
        </div>
      </main>
    </Layout>
  );
}
