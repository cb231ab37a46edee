import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import type { DestinationDto, DestinationType, ShownDestinationDto } from './destination.dto.js';
import type { ExportDestination } from './destination.js';
import { EmailDestination } from './email-destination.service.js';
import { S3Destination } from './s3-destination.service.js';
import { WebhookDestination } from './webhook-destination.service.js';

/** A destination as a row stores it: what may be shown, and everything in encrypted form. */
export interface StoredDestination extends ShownDestinationDto {
  sealed: string;
}

/** The registry of destinations. */
@Injectable()
export class ExportDestinations {
  readonly #destinations: Record<DestinationType, ExportDestination>;

  constructor(
    s3: S3Destination,
    webhook: WebhookDestination,
    email: EmailDestination,
    private readonly secretBox: SecretBox,
  ) {
    this.#destinations = { s3, webhook, email };
  }

  get(type: DestinationType): ExportDestination {
    return this.#destinations[type];
  }

  /** Checks and encrypts a destination of an account. @throws {ApiError} 400. */
  seal(ownerId: string, destination: DestinationDto): StoredDestination {
    const target = this.get(destination.type).check(destination);
    const sealed = this.secretBox.seal(JSON.stringify(destination), ownerId).toString('base64');
    return { type: destination.type, target, sealed };
  }

  open(ownerId: string, { sealed }: StoredDestination): DestinationDto {
    return JSON.parse(this.secretBox.open(Buffer.from(sealed, 'base64'), ownerId)) as DestinationDto;
  }
}

/** Returns what a response shows of a destination. */
export const shown = (stored: StoredDestination | null): ShownDestinationDto | null =>
  stored && { type: stored.type, target: stored.target };
