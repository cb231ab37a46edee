import Link from '@docusaurus/Link';
import { FAQ, FAQ_PAGE } from '@site/content/pages/faq';
import { ContactBand } from '@site/src/components/contact-band/contact-band';
import { Contents } from '@site/src/components/contents/contents';
import { JsonLd } from '@site/src/components/metadata/json-ld';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import { PageHeader } from '@site/src/components/page-header/page-header';
import { useByServices } from '@site/src/components/site/services';
import Heading from '@theme/Heading';
import Layout from '@theme/Layout';
import type { FAQPage } from 'schema-dts';
import styles from './faq.module.css';

export default function Faq() {
  const { heading, lead, ...meta } = FAQ_PAGE;
  const entries = useByServices(FAQ);
  return (
    <Layout>
      <PageMeta {...meta} />
      <JsonLd<FAQPage>
        data={{
          '@context': 'https://schema.org',
          '@type': 'FAQPage',
          mainEntity: entries.map(({ question, answer }) => ({
            '@type': 'Question',
            name: question,
            acceptedAnswer: { '@type': 'Answer', text: answer.join(' ') },
          })),
        }}
      />
      <main>
        <PageHeader title={heading} lead={lead} />
        <Contents title="Questions" sections={entries.map(({ id, question }) => ({ id, title: question }))}>
          {entries.map(({ id, question, answer, links }) => (
            <section key={id} className={styles.entry}>
              <Heading as="h2" id={id}>
                {question}
              </Heading>
              {answer.map(paragraph => (
                <p key={paragraph}>{paragraph}</p>
              ))}
              <ul className={styles.links}>
                {links.map(({ label, to }) => (
                  <li key={to}>
                    <Link to={to}>{label}</Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </Contents>
        <ContactBand />
      </main>
    </Layout>
  );
}
