import styles from './section-row.module.css';

/** Sticky row of links to the sections of a page, given as [anchor, title]. */
export function SectionRow({ sections }: { sections: readonly (readonly [string, string])[] }) {
  return (
    <nav className={styles.row} aria-label="On this page">
      <ul className="container">
        {sections.map(([id, title]) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
