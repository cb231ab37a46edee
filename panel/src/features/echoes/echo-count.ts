interface Page {
  shown: number;
  /** Number of all echoes of the run, also with a filter, because the API does not count the matching ones. */
  total: number;
  isFiltered: boolean;
}

/** Returns the text below a page of echoes that says how many there are. */
export function echoCount({ shown, total, isFiltered }: Page): string {
  const all = total === 1 ? '1 echo' : `${total.toLocaleString()} echoes`;
  return isFiltered ? `${shown.toLocaleString()} shown of ${all}` : all;
}
