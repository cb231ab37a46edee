import type { ComponentProps } from 'react';
import styles from './scroll-table.module.css';

/** Table that scrolls horizontally on narrow screens, also by keyboard. */
export function ScrollTable(props: ComponentProps<'table'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <div className={styles.region} tabIndex={0}>
      <table {...props} />
    </div>
  );
}
