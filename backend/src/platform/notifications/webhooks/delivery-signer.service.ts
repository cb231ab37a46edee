import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { SecretBox } from '../../common/secret-box.service.js';
import type { SignableDelivery } from './deliveries.repository.js';

/** Makes the headers of deliveries, with the signatures of Standard Webhooks. */
@Injectable()
export class DeliverySigner {
  constructor(private readonly secretBox: SecretBox) {}

  /** @throws {Error} if the secret of the webhook cannot be decrypted. */
  headersOf({ id, webhook_id, body, secret, previous_secret, now }: SignableDelivery): Record<string, string> {
    const signatures = [secret, previous_secret].flatMap(sealed =>
      sealed ? new Webhook(this.#open(sealed, webhook_id)).sign(id, now, body) : [],
    );
    return {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Trawl-Webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signatures.join(' '),
    };
  }

  #open(sealed: Buffer, webhookId: string): string {
    try {
      return this.secretBox.open(sealed, webhookId);
    } catch {
      throw new Error('Trawl cannot decrypt the secret, because TRAWL_SECRET has changed. Rotate the secret.');
    }
  }
}
