import Link from '@docusaurus/Link';
import { SERVICES_PAGE } from '@site/content/pages/services-page';
import { ContactBand } from '@site/src/components/contact-band/contact-band';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import { PageHeader } from '@site/src/components/page-header/page-header';
import { GroupPicture } from '@site/src/components/services/group-picture';
import styles from '@site/src/components/services/services.module.css';
import { useOfferIndex } from '@site/src/components/site/offer-index';
import { useByServices, useServices } from '@site/src/components/site/services';
import Heading from '@theme/Heading';
import Layout from '@theme/Layout';

export default function Services() {
  const { services, industries } = useOfferIndex();
  const { headline, lead, industriesLead, ...meta } = useByServices(SERVICES_PAGE);
  const hasServices = useServices();
  return (
    <Layout>
      <PageMeta {...meta} />
      <main>
        <PageHeader title={headline} lead={lead} />
        <div className="container">
          {services.map(group => (
            <section key={group.id} className={styles.group}>
              <div>
                <GroupPicture group={group.id} />
                <Heading as="h2" id={group.id}>
                  {group.title}
                </Heading>
                <p>{group.text}</p>
              </div>
              <ul>
                {group.links.map(({ name, summary, to }) => (
                  <li key={to}>
                    <Link to={to}>{name}</Link>
                    <p>{summary}</p>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
        <section className={`section section--surface ${styles.industries}`}>
          <div className="container">
            <Heading as="h2" id="industries">
              By industry
            </Heading>
            <p className="section__lead">{industriesLead}</p>
            <ul className="tiles">
              {industries.map(({ name, summary, to }) => (
                <li key={to}>
                  <Link to={to}>{name}</Link>
                  <p>{summary}</p>
                </li>
              ))}
            </ul>
          </div>
        </section>
        {hasServices ? <ContactBand subject="Services Inquiry" quoteSubject="Pricing Inquiry" /> : <ContactBand />}
      </main>
    </Layout>
  );
}
