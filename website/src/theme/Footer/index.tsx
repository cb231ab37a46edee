import Link from '@docusaurus/Link';
import { useThemeConfig } from '@docusaurus/theme-common';
import { Mesh } from '@site/src/components/mesh/mesh';
import { OperatedBy } from '@site/src/components/site/operator';
import { Mark } from '@trawl/brand/mark';
import styles from './footer.module.css';

interface FooterItem {
  label?: string;
  to?: string;
  href?: string;
  target?: string;
}
interface FooterColumn {
  title?: string | null;
  items: FooterItem[];
}

export default function Footer() {
  const columns = (useThemeConfig().footer?.links ?? []) as FooterColumn[];
  return (
    <footer className={`footer ${styles.footer}`}>
      <div className={styles.net}>
        <Mesh columns={40} rows={3} />
      </div>
      <div className={`container ${styles.inside}`}>
        <div className={styles.name}>
          <Link to="/" className={styles.brand}>
            <Mark />
            Trawl
          </Link>
          <p>A self-hosted platform for web scraping, data mining and browser automation.</p>
          <p>Free software under the Apache License 2.0.</p>
          <OperatedBy />
        </div>
        <nav className={styles.columns} aria-label="Footer">
          {columns.map(({ title, items }) => (
            <div key={title}>
              <h2>{title}</h2>
              <ul>
                {items.map(({ label, ...link }) => (
                  <li key={label}>
                    <Link {...link}>{label}</Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
    </footer>
  );
}
