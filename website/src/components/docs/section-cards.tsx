import Link from '@docusaurus/Link';
import { useDocsVersion } from '@docusaurus/plugin-content-docs/client';
import { DOCS_SECTIONS, DOCS_TASKS } from '@site/content/docs-sections';
import styles from './section-cards.module.css';

/** Cards of /docs with the pages for each task. */
export function TaskCards() {
  return (
    <div className={`${styles.tasks} ${styles.cards}`}>
      {DOCS_TASKS.map(({ title, links }) => (
        <section key={title} className={styles.card}>
          <h2>{title}</h2>
          <ul>
            {links.map(({ label, to }) => (
              <li key={to}>
                <Link to={to}>{label}</Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Cards of /docs with the pages of each section's sidebar. */
export function SectionCards() {
  const { docsSidebars } = useDocsVersion();
  return (
    <div className={`tiles ${styles.cards}`}>
      {DOCS_SECTIONS.map(({ title, folder, text }) => {
        const pages = (docsSidebars[folder] ?? [])
          .filter(item => item.type === 'link')
          // Keep only the pages of this section, because a sidebar may also link to other sections.
          .filter(({ href }) => `${href}/`.startsWith(`/docs/${folder}/`));
        return (
          <section key={folder} className={styles.card}>
            <h2>{title}</h2>
            <p>{text}</p>
            <ul>
              {pages.map(({ href, label, className }) => (
                <li key={href} className={className}>
                  <Link to={href}>{label}</Link>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
