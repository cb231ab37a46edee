import Head from '@docusaurus/Head';
import { useDoc, useDocsVersion } from '@docusaurus/plugin-content-docs/client';
import { BreadcrumbData, type Crumb } from '@site/src/components/breadcrumb-data';
import Metadata from '@theme-original/DocItem/Metadata';

/** A documentation page's own metadata, its place in the documentation, and where it is as Markdown. */
export default function DocItemMetadata() {
  const { metadata } = useDoc();
  const { docs } = useDocsVersion();
  const section = metadata.id.split('/')[0] ?? '';
  const index = docs[`${section}/index`];

  // The index of all has a slash at its end, which no address of this site has.
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
