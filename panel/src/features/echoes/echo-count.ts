interface Page {
  /** Numbers of the first and the last echo on the page; null if it has none. */
  seqs: { first: number; last: number } | null;
  /** Number of all echoes of the run. */
  total: number;
  /** Number of echoes that match the filter; null without a filter, or while they are being counted. */
  matching: number | null;
  isCapped: boolean;
}

/** Returns the text below a page of echoes that says which they are, and of how many. */
export function echoCount({ seqs, total, matching, isCapped }: Page): string {
  const all = total === 1 ? '1 echo' : `${total.toLocaleString()} echoes`;
  const range = seqs ? `${seqs.first.toLocaleString()}–${seqs.last.toLocaleString()} of ` : '';
  if (matching === null) return `${range}${all}`;
  const found = matching === 1 && !isCapped ? '1 match' : `${matching.toLocaleString()}${isCapped ? '+' : ''} matches`;
  return `${found} in ${all}`;
}
