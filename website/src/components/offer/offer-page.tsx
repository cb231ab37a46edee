import type { OfferMatter } from '@site/content/offers';
import { WHO_WE_ARE } from '@site/content/pages/services-page';
import { SERVICE_GROUPS } from '@site/content/service-groups';
import { SERVICES_LABEL } from '@site/content/site-links';
import type { OfferSample } from '@site/src/plugins/remark/offer-sample';
import Layout from '@theme/Layout';
import MDXContent from '@theme/MDXContent';
import type { Props as MDXPageProps } from '@theme/MDXPage';
import { ContactBand } from '../contact-band/contact-band';
import { ContactLinks } from '../contact-band/contact-links';
import { Folds } from '../fold/fold';
import { PageMeta } from '../metadata/page-meta';
import { PageHeader } from '../page-header/page-header';
import { useByServices, useServices } from '../site/services';
import { Steps } from '../steps/steps';
import { DoItYourself, DoItYourselfHeader } from './do-it-yourself';
import { FieldContract } from './field-contract';
import styles from './offer-page.module.css';
import { Glance, Scope, Terms } from './offered-work';
import { OtherOffers } from './other-offers';
import { Sample } from './sample';
import { SectionRow } from './section-row';

/** Page of a service or industry: sections from the front matter, and the body as explanation. */
export function OfferPage({ content: Explanation }: MDXPageProps) {
  const { metadata, frontMatter } = Explanation;
  const offer = frontMatter as unknown as OfferMatter;
  const { sample } = Explanation as unknown as { sample: OfferSample };
  const slug = metadata.permalink.split('/').at(-1) as string;
  const hasServices = useServices();

  const group = 'group' in offer ? SERVICE_GROUPS.find(({ id }) => id === offer.group) : undefined;
  const whatItIs = group ? 'What it is' : 'What it is for';
  const trail = [
    { label: useByServices(SERVICES_LABEL), to: '/services' },
    group ? { label: group.title, to: `/services#${group.id}` } : { label: 'Industries', to: '/services#industries' },
  ];
  const others = group ? (['industries', 'Industries'] as const) : (['services', 'Services'] as const);
  const explanation = (
    <section className="section section--surface" id="what-it-is">
      <div className={`container ${hasServices ? styles.explanation : ''}`}>
        <div className={styles.prose}>
          <h2>{whatItIs}</h2>
          <MDXContent>
            <Explanation />
          </MDXContent>
        </div>
        {hasServices && <Glance offer={offer} />}
      </div>
    </section>
  );

  if (!hasServices) {
    return (
      <Layout>
        <PageMeta
          title={offer.name}
          description={`${offer.summary} With the fields, sample rows and the skript that makes them.`}
          keywords={offer.keywords}
          trail={trail}
        />
        <main>
          <DoItYourselfHeader offer={offer} trail={trail} />
          <SectionRow
            sections={[
              ['sample', 'Sample'],
              ['what-it-is', whatItIs],
              ['how-it-works', 'How it works'],
              others,
              ['fields', 'Fields'],
            ]}
          />
          <Sample slug={slug} about={offer.sample} sample={sample} />
          {explanation}
          <DoItYourself />
          <OtherOffers offer={offer} />
          <Folds>
            <FieldContract offer={offer} />
          </Folds>
          <ContactBand />
        </main>
      </Layout>
    );
  }

  return (
    <Layout>
      <PageMeta {...offer} trail={trail} />
      <main>
        <PageHeader title={offer.headline} lead={offer.lead} trail={trail}>
          <ContactLinks subject={offer.subject} />
          <p className={styles.team}>{WHO_WE_ARE}</p>
        </PageHeader>

        <SectionRow
          sections={[
            ['sample', 'Sample'],
            ['what-it-is', whatItIs],
            ['how-it-works', 'How it works'],
            ['benefits', 'Benefits and scope'],
            others,
            ['fields', 'Fields'],
            ['quality-gates', 'Quality gates'],
            ['compliance', 'Compliance'],
            ['price', 'Price'],
          ]}
        />

        <Sample slug={slug} about={offer.sample} sample={sample} />
        {explanation}

        <section className="section" id="how-it-works">
          <div className="container">
            <h2>How it works</h2>
            <Steps steps={offer.steps} />
          </div>
        </section>

        <Scope offer={offer} />
        <OtherOffers offer={offer} />
        <Folds>
          <FieldContract offer={offer} />
          <Terms offer={offer} />
        </Folds>
        <ContactBand subject={offer.subject} />
      </main>
    </Layout>
  );
}
