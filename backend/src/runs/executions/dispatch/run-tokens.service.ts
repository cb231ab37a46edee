import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../../platform/common/secret-box.service.js';

/**
 * Tokens that prove that a storage operation belongs to a run on this boot of this worker. They are derived from the
 * ids of run, worker and boot and are not stored, so they stay valid if the backend restarts during the run.
 */
@Injectable()
export class RunTokens {
  constructor(private readonly secretBox: SecretBox) {}

  make(executionId: string, workerId: string, bootId: string): string {
    return this.secretBox.digest('run token', executionId, workerId, bootId).toString('base64url');
  }

  matches(token: string, executionId: string, workerId: string, bootId: string): boolean {
    const given = Buffer.from(token);
    return this.secretBox
      .digests('run token', executionId, workerId, bootId)
      .map(digest => Buffer.from(digest.toString('base64url')))
      .some(expected => given.length === expected.length && timingSafeEqual(given, expected));
  }
}
