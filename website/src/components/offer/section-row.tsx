import styles from './section-row.module.css';

/** The sections of a long page, as [anchor, words], in one row that stays in sight. */
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
