/** The address to call, or what is wrong with it. In a page, one that begins with `/` counts from the page's own. */
export function readAddress(url: unknown): URL | string {
  if (url === undefined || url === null || url === '') return 'URL is missing';
  const { location } = globalThis as { location?: { href: string } };
  let address: URL;
  try {
    address = new URL(String(url), location?.href);
  } catch {
    // What stands before an @ may be a password.
    return `Bad URL: ${String(url).replace(/^.*@/s, '…@')}`;
  }
  // Without the address: it would show the password.
  if (address.username || address.password) return 'Bad URL: a name and password belong in the Authorization header';
  return isHttp(address) ? address : `Bad URL: ${url} (http: or https: expected)`;
}

export const isHttp = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';
