import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import { DueWork } from '../database/due-work.service.js';
import { writeKeyUses } from './api-keys.repository.js';

const PRECISION_MS = 60_000;
const WRITE_INTERVAL_MS = 2_000;

/** Records when each API key was last used. Writes in the background, at most once a minute for each key. */
@Injectable()
export class KeyUses implements OnModuleInit, OnModuleDestroy {
  readonly #notedAtMs = new Map<string, number>();
  readonly #unwritten = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.dueWork.add('uses of API keys', { everyMs: WRITE_INTERVAL_MS, find: () => 'true', run: () => this.write() });
  }

  note(keyId: string): void {
    const notedAtMs = this.#notedAtMs.get(keyId);
    if (notedAtMs !== undefined && Date.now() - notedAtMs < PRECISION_MS) return;
    this.#notedAtMs.set(keyId, Date.now());
    this.#unwritten.add(keyId);
  }

  async write(): Promise<void> {
    for (const [keyId, notedAtMs] of this.#notedAtMs) {
      if (Date.now() - notedAtMs >= PRECISION_MS) this.#notedAtMs.delete(keyId);
    }
    if (this.#unwritten.size === 0) return;
    const keyIds = [...this.#unwritten];
    this.#unwritten.clear();
    try {
      await writeKeyUses(this.dataSource, keyIds, PRECISION_MS);
    } catch (error) {
      this.logger.warn({ err: error, keys: keyIds.length }, 'failed to write the last use of API keys');
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.write();
  }
}
