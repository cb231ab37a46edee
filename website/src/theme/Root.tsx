import Head from '@docusaurus/Head';
import { useLocation } from '@docusaurus/router';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { usePageLinks } from '@site/src/components/site/use-page-links';
import headings from '@trawl/brand/fonts/bricolage-grotesque.woff2';
import text from '@trawl/brand/fonts/inter.woff2';
import type { ReactNode } from 'react';

/** Sections with a preview image of their own; see scripts/make-pictures.mjs. */
const PREVIEWED = ['docs', 'services', 'industries', 'legal'];

/** Root of every page. Preloads the two fonts that every page needs, and names the image for previews of links. */
export default function Root({ children }: { children: ReactNode }) {
  usePageLinks();
  const { url } = useDocusaurusContext().siteConfig;
  const section = useLocation().pathname.split('/')[1] ?? '';
  const preview = `${url}/img/open-graph${PREVIEWED.includes(section) ? `-${section}` : ''}.jpg`;
  return (
    <>
      <Head>
        {[headings, text].map(href => (
          <link key={href} rel="preload" as="font" type="font/woff2" crossOrigin="anonymous" href={href} />
        ))}
        <meta property="og:image" content={preview} />
        <meta name="twitter:image" content={preview} />
      </Head>
      {children}
    </>
  );
}
