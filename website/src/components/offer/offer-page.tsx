import type { OfferMatter } from '@site/content/offers';
import { DELIVERY_TODAY } from '@site/content/pages/services-page';
import { SERVICE_GROUPS } from '@site/content/service-groups';
import type { OfferSample } from '@site/src/plugins/remark/offer-sample';
import Layout from '@theme/Layout';
import MDXContent from '@theme/MDXContent';
import type { Props as MDXPageProps } from '@theme/MDXPage';
import { ContactBand } from '../contact-band/contact-band';
import { ContactLinks } from '../contact-band/contact-links';
import { TableHead } from '../docs/table-head';
import { PageMeta } from '../metadata/page-meta';
import { PageHeader } from '../page-header/page-header';
import { Questions } from '../questions/questions';
import { Steps } from '../steps/steps';
import { FieldContract } from './field-contract';
import styles from './offer-page.module.css';
import { OtherOffers } from './other-offers';
import { Sample } from './sample';
import { SampleRow } from './sample-row';
import { SectionRow } from './section-row';

/** Page of a service or industry: sections from the front matter, and the body as explanation. */
export function OfferPage({ content: Explanation }: MDXPageProps) {
  const { metadata, frontMatter } = Explanation;
  const offer = frontMatter as unknown as OfferMatter;
  const { sample } = Explanation as unknown as { sample: OfferSample };
  const slug = metadata.permalink.split('/').at(-1) as string;

  const group = 'group' in offer ? SERVICE_GROUPS.find(({ id }) => id === offer.group) : undefined;
  const whatItIs = group ? 'What it is' : 'What it is for';
  const trail = [
    { label: 'Services', to: '/services' },
    group ? { label: group.title, to: `/services#${group.id}` } : { label: 'Industries', to: '/services#industries' },
  ];

  return (
    <Layout>
      <PageMeta {...offer} trail={trail} />
      <main>
        <PageHeader title={offer.headline} lead={offer.lead} trail={trail} picture={<SampleRow sample={sample} />}>
          <ContactLinks subject={offer.subject} />
        </PageHeader>

        <SectionRow
          sections={[
            ['what-it-is', whatItIs],
            ['how-it-works', 'How it works'],
            ['fields', 'Fields'],
            ['sample', 'Sample'],
            ['benefits', 'Benefits and scope'],
            ['quality-gates', 'Quality gates'],
            group ? ['industries', 'Industries'] : ['services', 'Services'],
            ['compliance', 'Compliance'],
            ['price', 'Price and questions'],
          ]}
        />

        <section className="section" id="what-it-is">
          <div className={`container ${styles.explanation}`}>
            <div className={styles.prose}>
              <h2>{whatItIs}</h2>
              <MDXContent>
                <Explanation />
              </MDXContent>
            </div>
            <dl className={styles.glance}>
              <dt>One row</dt>
              <dd>{offer.row.replace(/^One row is /, '')}</dd>
              <dt>Refresh</dt>
              <dd>{offer.refresh}</dd>
              <dt>Delivery</dt>
              <dd>
                <ul>
                  {offer.delivery.map(way => (
                    <li key={way}>{way}</li>
                  ))}
                </ul>
                <p>{DELIVERY_TODAY}</p>
              </dd>
              <dt>When the source changes</dt>
              <dd>{offer.change}</dd>
            </dl>
          </div>
        </section>

        <section className="section section--surface" id="how-it-works">
          <div className="container">
            <h2>How it works</h2>
            <Steps steps={offer.steps} />
          </div>
        </section>

        <FieldContract offer={offer} />
        <Sample slug={slug} about={offer.sample} sample={sample} />

        <section className="section" id="benefits">
          <div className={`container ${styles.benefits}`}>
            <h2>Benefits</h2>
            <div className="tiles">
              {offer.benefits.map(({ title, text }) => (
                <div key={title} className={styles.benefit}>
                  <h3>{title}</h3>
                  <p>{text}</p>
                </div>
              ))}
            </div>
            <div className={styles.scope}>
              <div>
                <h2>Included services</h2>
                <ul className={styles.included}>
                  {offer.included.map(item => (
                    <li key={item}>{item}</li>
                  ))}
                </ul>
              </div>
              <div>
                <h2>Not included</h2>
                <ul className={styles.excluded}>
                  {offer.not_included.map(item => (
                    <li key={item}>{item}</li>
                  ))}
                </ul>
              </div>
            </div>
          </div>
        </section>

        <section className="section section--surface" id="quality-gates">
          <div className="container">
            <h2>Quality gates</h2>
            <p className="section__lead">{offer.gates_lead ?? 'Checked on every delivery, before you see it.'}</p>
            <table className={styles.gates}>
              <TableHead columns={['What is checked', 'Limit', 'Otherwise']} />
              <tbody>
                {offer.gates.map(({ check, limit, otherwise }) => (
                  <tr key={check}>
                    <th scope="row">{check}</th>
                    <td data-label="Limit">{limit}</td>
                    <td data-label="Otherwise">{otherwise}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>

        <OtherOffers offer={offer} />

        <section className="section" id="compliance">
          <div className={`container ${styles.law}`}>
            <h2>Compliance</h2>
            <dl className="tiles">
              {offer.compliance.map(({ title, text }) => (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </div>
        </section>

        <section className="section section--surface" id="price">
          <div className={`container ${styles.last}`}>
            <div>
              <h2>What drives the price</h2>
              <ul className={styles.price}>
                {offer.price.map(driver => (
                  <li key={driver}>{driver}</li>
                ))}
              </ul>
            </div>
            <div>
              <h2>Questions</h2>
              <Questions questions={offer.questions} />
            </div>
          </div>
        </section>

        <ContactBand subject={offer.subject} />
      </main>
    </Layout>
  );
}
