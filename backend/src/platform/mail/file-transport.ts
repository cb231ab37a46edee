import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { v7 as uuidv7 } from 'uuid';
import type { Mail, MailTransport } from './mail-transport.js';
import { toMessage } from './message.js';

const KEPT_DAYS = 30;

/**
 * Writes each e-mail to an `.eml` file, for installations without an SMTP server. Only the folder's owner can read
 * them.
 */
export class FileTransport implements MailTransport {
  readonly #transporter = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {}

  async send(mail: Mail): Promise<{ file: string }> {
    const { message } = await this.#transporter.sendMail(toMessage(mail, this.from));
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    // UUIDv7, so that file names sort by time.
    const file = join(this.folder, `${uuidv7()}.eml`);
    await writeFile(file, message as Buffer, { mode: 0o600, flag: 'wx' });
    return { file };
  }

  async removeOld(): Promise<void> {
    if (!existsSync(this.folder)) return;
    const before = Date.now() - KEPT_DAYS * 24 * 60 * 60_000;
    for (const name of await readdir(this.folder)) {
      const file = join(this.folder, name);
      if (name.endsWith('.eml') && (await stat(file)).mtimeMs < before) await rm(file, { force: true });
    }
  }
}
