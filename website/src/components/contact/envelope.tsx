import styles from './envelope.module.css';

const FLAP = 'M12 26q148 96 296 0';
/** Net inside the flap: two sagging lines and five hanging ones. */
const NET = 'M12 26q148 32 296 0M12 26q148 64 296 0M61 26v29M110 26v42M160 26v48M210 26v42M259 26v29';
const KNOTS = [
  [61, 54],
  [110, 68],
  [210, 68],
  [259, 54],
];

/** Picture of an envelope whose flap is a net. */
export function Envelope({ title }: { title: string }) {
  return (
    <svg className={styles.envelope} viewBox="0 0 320 210" role="img" aria-label={title}>
      <rect className={styles.paper} x="12" y="26" width="296" height="172" rx="14" />
      <path className={styles.fold} d="M16 192l104-92M304 192l-104-92" />
      <path className={styles.net} d={NET} />
      <path className={styles.flap} d={FLAP} />
      {KNOTS.map(([cx, cy]) => (
        <circle key={cx} className={styles.knot} cx={cx} cy={cy} r="5" />
      ))}
      <circle className={styles.lit} cx="160" cy="74" r="10" />
    </svg>
  );
}
