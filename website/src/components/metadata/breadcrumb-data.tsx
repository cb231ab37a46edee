import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import type { BreadcrumbList } from 'schema-dts';
import { JsonLd } from './json-ld';

export interface Crumb {
  label: string;
  /** Route on this site. */
  to: string;
}

/** Breadcrumb list for search engines. The last crumb is the page itself. */
export function BreadcrumbData({ crumbs }: { crumbs: readonly Crumb[] }) {
  const { url } = useDocusaurusContext().siteConfig;
  const way = [{ label: 'Trawl', to: '/' }, ...crumbs];
  return (
    <JsonLd<BreadcrumbList>
      data={{
        '@context': 'https://schema.org',
        '@type': 'BreadcrumbList',
        itemListElement: way.map(({ label, to }, index) => ({
          '@type': 'ListItem',
          position: index + 1,
          name: label,
          item: url + to,
        })),
      }}
    />
  );
}
