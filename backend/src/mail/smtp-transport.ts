import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, type MailTransport, RefusedMail } from './mail-transport.js';
import { toMessage } from './message.js';

const CONNECT_MS = 10_000;
/** Some servers make unknown senders wait for half a minute. */
const ANSWER_MS = 40_000;

export class SmtpTransport implements MailTransport {
  readonly #transporter: Transporter;
  readonly #server: string;

  constructor(
    smtpUrl: string,
    private readonly from: string,
  ) {
    this.#server = new URL(smtpUrl).host;
    this.#transporter = createTransport({
      url: smtpUrl,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
    });
  }

  async send(mail: Mail): Promise<{ server: string }> {
    try {
      await this.#transporter.sendMail(toMessage(mail, this.from));
    } catch (error) {
      const { code, responseCode = 0, message } = error as { code?: string; responseCode?: number; message: string };
      // What a server says often names the address, which is not for the log.
      const words = message.replaceAll(mail.to, 'the recipient');
      if (code === 'EENVELOPE' && responseCode >= 500) throw new RefusedMail(words);
      throw Object.assign(new Error(words), { code });
    }
    return { server: this.#server };
  }
}
