import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../common/secret-box.js';

/**
 * The token with which a storage operation proves that it belongs to a run on this boot of this worker. It follows from
 * the three, so that it holds through a restart of the backend while the run goes on.
 */
@Injectable()
export class RunTokens {
  constructor(private readonly secretBox: SecretBox) {}

  make(executionId: string, workerId: string, bootId: string): string {
    return this.secretBox.digest('run token', executionId, workerId, bootId).toString('base64url');
  }

  matches(token: string, executionId: string, workerId: string, bootId: string): boolean {
    const expected = Buffer.from(this.make(executionId, workerId, bootId));
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
