interface Page {
  shown: number;
  /** Of the whole run: how many match is not counted. */
  total: number;
  isFiltered: boolean;
}

/** How many echoes there are, below a page of them. */
export function echoCount({ shown, total, isFiltered }: Page): string {
  const all = total === 1 ? '1 echo' : `${total.toLocaleString()} echoes`;
  return isFiltered ? `${shown.toLocaleString()} shown of ${all}` : all;
}
