// @ts-check
import { line, paint } from '../common/terminal.mjs';

/**
 * Prints the addresses, accounts and folder that a user needs. Only this banner shows the first passwords.
 * @param {object} facts
 * @param {string} facts.address
 * @param {string | undefined} facts.siteAddress
 * @param {string[]} facts.openTo
 * @param {import('./accounts.mjs').Account[]} facts.accounts
 * @param {string} facts.dataDir
 */
export function printBanner({ address, siteAddress, openTo, accounts, dataDir }) {
  /** @type {[string, string][]} */
  const rows = [
    ['Website', `${address}/`],
    ['Panel', `${address}/panel/login`],
  ];
  if (siteAddress) rows.push(['Practice site', siteAddress]);
  for (const { username, password, role } of accounts) {
    const label = role === 'admin' ? 'Administrator' : 'Developer';
    rows.push([label, `${username} / ${password}`]);
  }
  rows.push(['Data', dataDir]);

  line();
  line(paint.strong('Trawl is ready'));
  for (const [label, value] of rows) line(`  ${paint.quiet(label.padEnd(14))} ${value}`);
  if (openTo.length > 0) {
    line(
      `  ${paint.warn('!')} Other machines can connect without TLS, so passwords can be intercepted: ${openTo.join(' ')}`,
    );
  }
  line(paint.quiet('  These passwords are from the first start. Press Ctrl-C to stop.'));
  line();
}
