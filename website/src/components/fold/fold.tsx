import type { ReactNode } from 'react';
import styles from './fold.module.css';

interface FoldProps {
  id: string;
  title: string;
  children: ReactNode;
}

/** Section that unfolds. The browser unfolds it when a link leads to its `id`, which is inside. */
export function Fold({ id, title, children }: FoldProps) {
  return (
    <details className={styles.fold}>
      <summary>
        <h2>{title}</h2>
      </summary>
      <section id={id} aria-label={title}>
        {children}
      </section>
    </details>
  );
}

export function Folds({ children }: { children: ReactNode }) {
  return (
    <div className="section section--surface">
      <div className="container">{children}</div>
    </div>
  );
}
