import { HtmlClassNameProvider, ThemeClassNames } from '@docusaurus/theme-common';
import Layout from '@theme/Layout';
import MDXContent from '@theme/MDXContent';
import type { Props } from '@theme/MDXPage';
import { Contents } from '../contents/contents';
import { PageHeader } from '../page-header/page-header';
import { PageMeta, type PageWords } from '../page-meta';
import styles from './prose-page.module.css';

interface ProseFrontMatter extends PageWords {
  /** The sentence below the title; the description stands in for it. */
  lead?: string;
  /** The day that the text counts from, as people write it. */
  updated?: string;
}

/** A page of numbered prose, such as the terms: its contents beside it, each entry a link to its section. */
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
