import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import type { PlatformClient } from './platform-client.js';

/**
 * Returns the e-mails to an address, oldest first. Without an SMTP server the platform writes each e-mail to a file.
 */
export async function mailsTo(platform: PlatformClient, address: string): Promise<Email[]> {
  const folder = join(platform.dataDir, 'mail');
  const names = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.eml')) : [];
  const mails = await Promise.all(names.sort().map(name => PostalMime.parse(readFileSync(join(folder, name)))));
  return mails.filter(({ to }) => to?.some(recipient => recipient.address === address));
}
