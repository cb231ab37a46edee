import Head from '@docusaurus/Head';
import { HtmlClassNameProvider } from '@docusaurus/theme-common';
import { HOME } from '@site/content/home';
import { Audiences } from '@site/src/components/home/audiences';
import { Doors } from '@site/src/components/home/doors';
import { Features } from '@site/src/components/home/features';
import { Hero } from '@site/src/components/home/hero';
import { HowItWorks } from '@site/src/components/home/how-it-works';
import { Needs } from '@site/src/components/home/needs';
import { Questions } from '@site/src/components/home/questions';
import { SampleRun } from '@site/src/components/home/sample-run';
import Layout from '@theme/Layout';

export default function Home() {
  return (
    <HtmlClassNameProvider className="on-deep-water">
      <Layout title={HOME.title} description={HOME.description}>
        <Head>
          <meta name="keywords" content={HOME.keywords.join(', ')} />
        </Head>
        <main>
          <Hero />
          <Doors />
          <SampleRun />
          <Features />
          <Audiences />
          <HowItWorks />
          <Needs />
          <Questions />
        </main>
      </Layout>
    </HtmlClassNameProvider>
  );
}
