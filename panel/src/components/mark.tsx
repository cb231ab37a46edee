/** The mark of `@trawl/brand`, drawn in the text's colour. Decorative: the name stands beside it. */
export function Mark() {
  return (
    <svg
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M3 6q13 4 26 0M3 13.5q13 5 26 0M3 6v7.5M29 6v7.5M16 8v20.5" />
      <g fill="currentColor" stroke="none">
        <circle cx="3" cy="6" r="2.3" />
        <circle cx="29" cy="6" r="2.3" />
        <circle cx="16" cy="8" r="2.3" />
        <circle cx="3" cy="13.5" r="2.3" />
        <circle cx="29" cy="13.5" r="2.3" />
      </g>
      <circle className="mesh-knot" cx="16" cy="16" r="3.6" stroke="none" />
    </svg>
  );
}
