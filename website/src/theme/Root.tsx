import Head from '@docusaurus/Head';
import headings from '@trawl/brand/fonts/bricolage-grotesque.woff2';
import text from '@trawl/brand/fonts/inter.woff2';
import type { ReactNode } from 'react';

/** Around every page: the two fonts that each page needs are asked for before the style sheet has been read. */
export default function Root({ children }: { children: ReactNode }) {
  return (
    <>
      <Head>
        {[headings, text].map(href => (
          <link key={href} rel="preload" as="font" type="font/woff2" crossOrigin="anonymous" href={href} />
        ))}
      </Head>
      {children}
    </>
  );
}
