import Head from '@docusaurus/Head';
import headings from '@trawl/brand/fonts/bricolage-grotesque.woff2';
import text from '@trawl/brand/fonts/inter.woff2';
import type { ReactNode } from 'react';

/** Root of every page. Preloads the two fonts that every page needs. */
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
