import { Injectable } from '@nestjs/common';
import { OutgoingHttp } from '../../outgoing/outgoing-http.service.js';
import type { DestinationDto } from './destination.dto.js';
import type { DeliveredFile, ExportDestination } from './destination.js';
import { deliveryFailed, neededFields } from './failures.js';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 1_024;

/** Posts a link to the file to a URL of the user. */
@Injectable()
export class WebhookDestination implements ExportDestination {
  constructor(private readonly outgoing: OutgoingHttp) {}

  check(destination: DestinationDto): string {
    return new URL(neededFields(destination, ['url']).url).host;
  }

  async send(file: DeliveredFile, destination: DestinationDto): Promise<void> {
    const { url } = neededFields(destination, ['url']);
    const body = {
      type: 'export.done',
      export_id: file.id,
      file_name: file.name,
      content_type: file.contentType,
      rows: file.rows,
      bytes: file.bytes,
      link: file.link,
    };
    try {
      const { status } = await this.outgoing.post({
        url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE_BYTES,
      });
      if (status < 200 || status > 299) throw new Error(`the server answered ${status}`);
    } catch (error) {
      throw deliveryFailed(`the call of ${new URL(url).host}`, error);
    }
  }
}
