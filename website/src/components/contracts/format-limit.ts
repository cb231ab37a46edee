const KIB = 1024;

/** Formats a limit with its unit, which its name ends with: `…Bytes`, `…Chars` or `…Ms`. */
export function formatLimit(name: string, value: number): string {
  if (name.includes('Bytes')) {
    return value >= KIB * KIB ? `${value / (KIB * KIB)} MiB` : `${value / KIB} KiB`;
  }
  const grouped = value.toLocaleString('en-GB');
  return name.endsWith('Ms') ? `${grouped} ms` : `${grouped} characters`;
}
