import Link from '@docusaurus/Link';
import { HtmlClassNameProvider } from '@docusaurus/theme-common';
import type { ReactNode } from 'react';
import { Mesh } from '../mesh/mesh';
import type { Crumb } from '../metadata/breadcrumb-data';
import styles from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  lead?: ReactNode;
  /** Parent pages without the home page, shown as links above the title. */
  trail?: readonly Crumb[];
  /** Buttons or a note below the lead. */
  children?: ReactNode;
  /** Picture beside the text, or below it on narrow screens. */
  picture?: ReactNode;
}

/** Header of a page outside the docs, with its `h1`. The navigation bar overlaps it. */
export function PageHeader({ title, lead, trail = [], children, picture }: PageHeaderProps) {
  return (
    <HtmlClassNameProvider className="on-deep-water">
      <header className={styles.header}>
        <div className={styles.net}>
          <Mesh columns={30} rows={8} lit={['22,3', '26,5', '19,6']} />
        </div>
        <div className={`container ${styles.inside} ${picture ? styles.pictured : ''}`}>
          <div className={styles.text}>
            {trail.length > 0 && (
              <nav className={styles.trail} aria-label="Pages above this one">
                <ol>
                  {trail.map(({ label, to }) => (
                    <li key={to}>
                      <Link to={to}>{label}</Link>
                    </li>
                  ))}
                </ol>
              </nav>
            )}
            <h1>{title}</h1>
            {lead && <p className={styles.lead}>{lead}</p>}
            {children && <div className={styles.below}>{children}</div>}
          </div>
          {picture && <div className={styles.picture}>{picture}</div>}
        </div>
      </header>
    </HtmlClassNameProvider>
  );
}
