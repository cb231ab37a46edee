import Head from '@docusaurus/Head';
import type { Thing, WithContext } from 'schema-dts';

/** Structured data of the page by schema.org. */
export function JsonLd<T extends Thing>({ data }: { data: WithContext<T> }) {
  return (
    <Head>
      <script type="application/ld+json">
        {/* A closing tag inside a string would end the script. */}
        {JSON.stringify(data).replaceAll('<', '\\u003c')}
      </script>
    </Head>
  );
}
