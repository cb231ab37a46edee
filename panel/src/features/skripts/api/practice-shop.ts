/** The practice shop's address in the templates, as after `npm start` with the usual ports. */
const USUAL_ADDRESS = 'http://127.0.0.1:3001';

/**
 * Replaces the practice shop's address in the text of a template. `npm start` opens the shop on the port after that of the
 * panel, so a panel with another port on this machine has a shop with another port.
 */
export function withPracticeShop(text: string, { hostname, port }: Pick<Location, 'hostname' | 'port'>): string {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && port !== '';
  return isLocal ? text.replaceAll(USUAL_ADDRESS, `http://127.0.0.1:${Number(port) + 1}`) : text;
}
