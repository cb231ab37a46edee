import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { OutgoingHttp } from '../../../platform/outgoing/outgoing-http.service.js';
import type { DestinationDto } from './destination.dto.js';
import type { DeliveredFile, ExportDestination } from './destination.js';
import { checkUrl, deliveryFailed, neededFields } from './failures.js';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 1_024;

/** Posts a link to the file to a URL of the user, signed if the user has given a secret. */
@Injectable()
export class WebhookDestination implements ExportDestination {
  constructor(private readonly outgoing: OutgoingHttp) {}

  check(destination: DestinationDto): string {
    const { url } = neededFields(destination, ['url']);
    checkUrl(this.outgoing, destination);
    return new URL(url).host;
  }

  async send(file: DeliveredFile, destination: DestinationDto): Promise<void> {
    const { url } = neededFields(destination, ['url']);
    const body = JSON.stringify({
      type: 'export.finished',
      export_id: file.id,
      file_name: file.name,
      content_type: file.contentType,
      rows: file.rows,
      bytes: file.bytes,
      link: file.link,
    });
    try {
      const { status } = await this.outgoing.post({
        url,
        headers: {
          'content-type': 'application/json',
          ...(destination.secret === undefined ? {} : signatureOf(file.id, body, destination.secret)),
        },
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE_BYTES,
      });
      if (status < 200 || status > 299) throw new Error(`the server answered ${status}`);
    } catch (error) {
      throw deliveryFailed(`the call of ${new URL(url).host}`, error);
    }
  }
}

/** Returns the headers of Standard Webhooks. A call that is repeated after a crash has the same id. */
function signatureOf(id: string, body: string, secret: string): Record<string, string> {
  const now = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  };
}
