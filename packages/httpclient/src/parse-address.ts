/**
 * Returns the parsed URL, or the reason why it cannot be called. In a page, the URL may be relative to the URL of the
 * page.
 */
export function parseAddress(url: unknown): URL | string {
  if (url === undefined || url === null || url === '') return 'URL is missing';
  const { location } = globalThis as { location?: { href: string } };
  let address: URL;
  try {
    address = new URL(String(url), location?.href);
  } catch {
    // Leave out the part before an @, because it may contain a password.
    return `Bad URL: ${String(url).replace(/^.*@/s, '…@')}`;
  }
  // The message leaves the URL out because it contains a password.
  if (address.username || address.password) return 'Bad URL: a name and password belong in the Authorization header';
  return isHttp(address) ? address : `Bad URL: ${url} (http: or https: expected)`;
}

export const isHttp = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';
