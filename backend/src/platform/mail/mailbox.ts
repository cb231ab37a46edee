/**
 * Returns the same text for all addresses of a mailbox: ignores upper and lower case, and for Gmail also dots in the
 * name.
 */
export function mailbox(address: string): string {
  const [name = '', host = ''] = address.toLowerCase().split('@');
  return /^g(oogle)?mail\.com$/.test(host) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${host}`;
}
