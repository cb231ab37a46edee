import Link from '@docusaurus/Link';
import type { IndexOfPages } from '@site/src/plugins/sources/index-pages';
import Layout from '@theme/Layout';
import { PageMeta } from '../metadata/page-meta';
import { PageHeader } from '../page-header/page-header';

/** Lists the pages below an address such as /docs/tech. */
export default function IndexPage({ page: { path, title, text, links } }: { page: IndexOfPages }) {
  return (
    <Layout>
      <PageMeta
        title={`${title}: all pages`}
        description={`${text} A list of all ${links.length} pages.`}
        keywords={[title, 'Trawl']}
        trail={path.startsWith('/docs/') ? [{ label: 'Documentation', to: '/docs' }] : []}
      />
      <main>
        <PageHeader title={title} lead={text} />
        <section className="section">
          <div className="container">
            <ul className="tiles">
              {links.map(link => (
                <li key={link.to}>
                  <Link to={link.to}>{link.label}</Link>
                  <p>{link.text}</p>
                </li>
              ))}
            </ul>
          </div>
        </section>
      </main>
    </Layout>
  );
}
