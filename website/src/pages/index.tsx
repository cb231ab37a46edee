import { HtmlClassNameProvider } from '@docusaurus/theme-common';
import { HOME } from '@site/content/pages/home';
import { ContactBand } from '@site/src/components/contact-band/contact-band';
import { Audiences } from '@site/src/components/home/audiences';
import { Features } from '@site/src/components/home/features';
import { Hero } from '@site/src/components/home/hero/hero';
import { HomeQuestions } from '@site/src/components/home/home-questions';
import { HowItWorks } from '@site/src/components/home/how-it-works';
import { SoftwareData } from '@site/src/components/home/software-data';
import { WaysToUse } from '@site/src/components/home/ways-to-use';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import Layout from '@theme/Layout';

export default function Home() {
  return (
    <HtmlClassNameProvider className="on-deep-water">
      <Layout>
        <PageMeta title={HOME.title} description={HOME.description} keywords={HOME.keywords} />
        <SoftwareData />
        <main>
          <Hero />
          <Features />
          <Audiences />
          <HowItWorks />
          <WaysToUse />
          <HomeQuestions />
          <ContactBand />
        </main>
      </Layout>
    </HtmlClassNameProvider>
  );
}
