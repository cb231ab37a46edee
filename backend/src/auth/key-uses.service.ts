import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';

const ONCE_IN_MS = 60_000;
const WRITE_MS = 2_000;

/** When which key was last used: written behind the requests, and once a minute at most for each. */
@Injectable()
export class KeyUses implements OnModuleDestroy {
  readonly #notedAtMs = new Map<string, number>();
  readonly #unwritten = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  note(keyId: string): void {
    const notedAtMs = this.#notedAtMs.get(keyId);
    if (notedAtMs !== undefined && Date.now() - notedAtMs < ONCE_IN_MS) return;
    this.#notedAtMs.set(keyId, Date.now());
    this.#unwritten.add(keyId);
  }

  @Interval(WRITE_MS)
  async write(): Promise<void> {
    for (const [keyId, notedAtMs] of this.#notedAtMs) {
      if (Date.now() - notedAtMs >= ONCE_IN_MS) this.#notedAtMs.delete(keyId);
    }
    if (this.#unwritten.size === 0) return;
    const keyIds = [...this.#unwritten];
    this.#unwritten.clear();
    try {
      // Other backends write it, too.
      await this.dataSource.query(
        `UPDATE api_keys SET last_used_at = now()
         WHERE id = ANY($1::uuid[]) AND (last_used_at IS NULL OR last_used_at < now() - $2 * interval '1 millisecond')`,
        [keyIds, ONCE_IN_MS],
      );
    } catch (error) {
      this.logger.warn({ err: error }, 'when keys were last used could not be written');
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.write();
  }
}
