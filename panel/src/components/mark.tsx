/** The mark of the brand, drawn in the text's colour. Decorative: the name stands beside it. */
export function Mark() {
  return (
    <svg
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M5 6v10M16 6v21M27 6v10" />
      <path d="M5 7c7 3.4 15 3.4 22 0M5 15c7 4.8 15 4.8 22 0" />
      <g fill="currentColor" stroke="none">
        <circle cx="5" cy="7" r="2.2" />
        <circle cx="27" cy="7" r="2.2" />
        <circle cx="16" cy="9.6" r="2.2" />
        <circle cx="5" cy="15" r="2.2" />
        <circle cx="27" cy="15" r="2.2" />
      </g>
      <circle className="mesh-knot" cx="16" cy="18.6" r="3.2" stroke="none" />
    </svg>
  );
}
