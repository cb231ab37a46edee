import Link from '@docusaurus/Link';
import { HtmlClassNameProvider } from '@docusaurus/theme-common';
import type { ReactNode } from 'react';
import type { Crumb } from '../breadcrumb-data';
import { Mesh } from '../mesh/mesh';
import styles from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  lead?: ReactNode;
  /** Pages above this one, the home page left out; shown as links above the title. */
  trail?: readonly Crumb[];
  /** Buttons or a note below the lead. */
  children?: ReactNode;
  /** A picture beside the text on wide screens, below it on narrow ones. */
  picture?: ReactNode;
}

/** The head of a page outside the documentation: deep water, a net, and the page's one `h1`. The bar lies on it. */
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
