import Head from '@docusaurus/Head';
import Link from '@docusaurus/Link';
import type { Release } from '@site/src/plugins/sources/changelog';
import Heading from '@theme/Heading';
import Layout from '@theme/Layout';
import { PageMeta } from '../metadata/page-meta';
import { PageHeader } from '../page-header/page-header';
import styles from './changelog-page.module.css';

const FEED = '/changelog.xml';

/** The changes of each version, from CHANGELOG.md. */
export default function ChangelogPage({ releases }: { releases: Release[] }) {
  return (
    <Layout>
      <PageMeta
        title="Changelog: what each version of Trawl changes"
        description="New features, fixes and breaking changes of each version of Trawl, the newest first, also as an RSS feed."
        keywords={['Trawl changelog', 'release notes', 'versions', 'RSS']}
      />
      <Head>
        <link rel="alternate" type="application/rss+xml" title="Changes of Trawl" href={FEED} />
      </Head>
      <main>
        <PageHeader title="Changelog" lead="What each version changes, the newest first.">
          <Link className="action" to="/docs/tech/upgrade">
            Upgrade
          </Link>
          <Link className="action action--quiet" href={`pathname://${FEED}`}>
            RSS
          </Link>
        </PageHeader>
        <div className={`container ${styles.releases}`}>
          {releases.map(({ anchor, version, date, html }) => (
            <section key={anchor}>
              <Heading as="h2" id={anchor}>
                {version}
              </Heading>
              {date && <p className={styles.date}>{date}</p>}
              {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the HTML is made from a file of the repository, and micromark escapes HTML in it. */}
              <div dangerouslySetInnerHTML={{ __html: html }} />
            </section>
          ))}
        </div>
      </main>
    </Layout>
  );
}
