import type { ComponentProps } from 'react';
import styles from './scroll-table.module.css';

/** A table that scrolls sideways within itself on a narrow page, by keyboard too. */
export function ScrollTable(props: ComponentProps<'table'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse.
    <div className={styles.region} tabIndex={0}>
      <table {...props} />
    </div>
  );
}
