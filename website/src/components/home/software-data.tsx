import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { HOME } from '@site/content/pages/home';
import type { Organization, SoftwareApplication } from 'schema-dts';
import { JsonLd } from '../metadata/json-ld';

/** Structured data about Trawl and its publisher, for search engines. */
export function SoftwareData() {
  const { url } = useDocusaurusContext().siteConfig;
  return (
    <>
      <JsonLd<Organization>
        data={{
          '@context': 'https://schema.org',
          '@type': 'Organization',
          '@id': `${url}/#organization`,
          name: 'Trawl',
          url: `${url}/`,
          logo: `${url}/img/favicon.svg`,
        }}
      />
      <JsonLd<SoftwareApplication>
        data={{
          '@context': 'https://schema.org',
          '@type': 'SoftwareApplication',
          name: 'Trawl',
          description: HOME.description,
          url: `${url}/`,
          image: `${url}/img/open-graph.jpg`,
          applicationCategory: 'DeveloperApplication',
          operatingSystem: 'Linux',
          isAccessibleForFree: true,
          license: 'https://www.apache.org/licenses/LICENSE-2.0',
          publisher: { '@id': `${url}/#organization` },
        }}
      />
    </>
  );
}
