import { HtmlClassNameProvider, ThemeClassNames } from '@docusaurus/theme-common';
import Layout from '@theme/Layout';
import MDXContent from '@theme/MDXContent';
import type { Props } from '@theme/MDXPage';
import { Contents } from '../contents/contents';
import { PageMeta, type PageWords } from '../metadata/page-meta';
import { PageHeader } from '../page-header/page-header';
import styles from './prose-page.module.css';

interface ProseFrontMatter extends PageWords {
  /** Sentence below the title. Default: the description. */
  lead?: string;
  /** Date of the last update, as text. */
  updated?: string;
}

/** Page of numbered sections with a table of contents, such as the terms. */
export function ProsePage({ content: Content }: Props) {
  const { title, description, keywords, lead, updated } = Content.frontMatter as unknown as ProseFrontMatter;
  const sections = Content.toc.filter(({ level }) => level === 2).map(({ id, value }) => ({ id, title: value }));
  return (
    <HtmlClassNameProvider className={ThemeClassNames.page.mdxPage}>
      <Layout>
        <PageMeta title={title} description={description} keywords={keywords} />
        <main>
          <PageHeader title={title} lead={lead ?? description}>
            {updated && <p className={styles.updated}>Last updated: {updated}</p>}
          </PageHeader>
          <Contents title="Contents" sections={sections}>
            <article className={`markdown ${styles.prose}`}>
              <MDXContent>
                <Content />
              </MDXContent>
            </article>
          </Contents>
        </main>
      </Layout>
    </HtmlClassNameProvider>
  );
}
