import { useState } from 'react';

/** The images that the API accepts. In an `img`, an SVG runs no scripts, loads nothing and has no links. */
const SHOWN = /^(https:\/\/|data:image\/(png|jpeg|gif|webp|avif|svg\+xml);base64,)/;
const COLUMNS = [8, 16, 24, 32];
const ROWS = [13, 27];
/** How much lower a line hangs in the middle. */
const SAG = 7;
const LINES = [...COLUMNS.map(x => `M${x} 0V40`), ...ROWS.map(y => `M0 ${y}Q20 ${y + SAG} 40 ${y}`)].join('');

/** Returns the same number from 0 to `count` - 1 for the same text. */
const numberOf = (text: string, count: number): number =>
  [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % count;

/** Net of the brand with the first letter of the title. Each title has its knot at another crossing. */
function Placeholder({ title }: { title: string }) {
  const knot = numberOf(title, COLUMNS.length * ROWS.length);
  const x = COLUMNS[knot % COLUMNS.length] ?? 0;
  const middle = x / 40;
  const y = (ROWS[Math.floor(knot / COLUMNS.length)] ?? 0) + 2 * SAG * middle * (1 - middle);
  return (
    <svg className="thumbnail" viewBox="0 0 40 40" aria-hidden="true">
      <path d={LINES} fill="none" />
      <text x="20" y="20" textAnchor="middle" dominantBaseline="central">
        {[...title.trim()][0]?.toUpperCase()}
      </text>
      <circle cx={x} cy={y} r="2.4" />
    </svg>
  );
}

interface ThumbnailProps {
  title: string;
  /** Address of the image; empty if the skript has none. */
  address: string;
}

/** Picture of a skript beside its title; one is drawn if the skript has none, or if it cannot be loaded. */
export function Thumbnail({ title, address }: ThumbnailProps) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken || !SHOWN.test(address)) return <Placeholder title={title} />;
  return (
    <img
      className="thumbnail"
      src={address}
      alt=""
      width={40}
      height={40}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}
