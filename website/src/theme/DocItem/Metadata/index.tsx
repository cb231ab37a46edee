import Head from '@docusaurus/Head';
import { useDoc, useDocsVersion } from '@docusaurus/plugin-content-docs/client';
import { BreadcrumbData, type Crumb } from '@site/src/components/metadata/breadcrumb-data';
import Metadata from '@theme-original/DocItem/Metadata';

/** Metadata of a docs page, its breadcrumbs, and a link to its Markdown version. */
export default function DocItemMetadata() {
  const { metadata } = useDoc();
  const { docs } = useDocsVersion();
  const section = metadata.id.split('/')[0] ?? '';
  const index = docs[`${section}/index`];

  // Remove the slash at the end: the permalink of an index page has one, unlike all other URLs of this site.
  const here = metadata.permalink.replace(/\/$/, '');
  const crumbs: Crumb[] = [{ label: 'Documentation', to: '/docs' }];
  if (index) crumbs.push({ label: index.title, to: `/docs/${section}` });
  if (crumbs.at(-1)?.to !== here) crumbs.push({ label: metadata.title, to: here });
  return (
    <>
      <Metadata />
      {here !== '/docs' && (
        <Head>
          <link rel="alternate" type="text/markdown" href={`${here}.md`} />
        </Head>
      )}
      <BreadcrumbData crumbs={crumbs} />
    </>
  );
}
