import type { ReactNode } from 'react';
import styles from './contents.module.css';

interface ContentsProps {
  title: string;
  /** Anchor and title of each section, in order. */
  sections: readonly { id: string; title: string }[];
  children: ReactNode;
}

/** Page with a linked table of contents beside it, or above it on narrow screens. */
export function Contents({ title, sections, children }: ContentsProps) {
  return (
    <div className={`container ${styles.columns}`}>
      <nav className={styles.contents} aria-labelledby="contents">
        <h2 id="contents">{title}</h2>
        <ul>
          {sections.map(section => (
            <li key={section.id}>
              <a href={`#${section.id}`}>{section.title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.sections}>{children}</div>
    </div>
  );
}
