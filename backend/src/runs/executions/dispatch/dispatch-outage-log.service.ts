import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../../platform/common/logger.js';
import { OutageLog } from '../../../platform/common/outage-log.js';

/** Offers and reconciliation share this log, so that both together log an outage of PostgreSQL only once. */
@Injectable()
export class DispatchOutageLog extends OutageLog {
  constructor(@Inject(LOGGER) logger: Logger) {
    super(logger, 'dispatch failed; retrying every second');
  }
}
