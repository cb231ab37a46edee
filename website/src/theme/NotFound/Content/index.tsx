import Head from '@docusaurus/Head';
import Link from '@docusaurus/Link';
import { NOT_FOUND } from '@site/content/pages/not-found';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import { Nearest } from '@site/src/components/not-found/nearest';
import { PageHeader } from '@site/src/components/page-header/page-header';
import styles from './not-found.module.css';

export default function NotFoundContent() {
  const { text, home, nearest: _, ...meta } = NOT_FOUND;
  return (
    <main className={styles.page}>
      <PageMeta {...meta} />
      <Head>
        <meta name="robots" content="noindex" />
      </Head>
      <PageHeader title={meta.title} lead={text}>
        <Link className="action" to="/">
          {home}
        </Link>
      </PageHeader>
      <Nearest />
    </main>
  );
}
