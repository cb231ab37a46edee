import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { EVIDENCE_BYTES, EVIDENCE_JSON_BYTES, evidenceSchema } from '@trawl/contracts';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { LOGGER } from '../../../platform/common/logger.js';
import { SavedBytes } from '../../../platform/quotas/saved-bytes.service.js';
import { askWorker } from '../../workers/connections/ask-worker.js';
import { WorkerConnections } from '../../workers/connections/worker-connections.service.js';
import { EvidenceRepository } from './evidence.repository.js';
import { listOf } from './evidence.service.js';

const unzip = promisify(gunzip);

/** Number of runs whose evidence is read at the same time, because each is in memory as a whole. */
const CONCURRENT = 2;
/** When this many runs wait, as after an outage of a website, further ones are left out. */
const MAX_WAITING = 500;
/** The same for the runs of one account, so that it leaves room for the others. */
const MAX_WAITING_OF_ACCOUNT = 50;

export interface SeeingRun {
  id: string;
  owner_id: string;
  worker_id: string | null;
}

/** Fetches what a failed or broken run saw from its worker, which keeps it for a short time, and saves it. */
@Injectable()
export class EvidenceCollector {
  readonly #limit = pLimit(CONCURRENT);
  /** Number of runs of each account that wait or are being read. */
  readonly #ofAccount = new Map<string, number>();

  constructor(
    private readonly repository: EvidenceRepository,
    private readonly connections: WorkerConnections,
    private readonly savedBytes: SavedBytes,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns at once. Never throws: a run ends also without its evidence. */
  collect(run: SeeingRun): void {
    const { id, owner_id } = run;
    const waiting = this.#ofAccount.get(owner_id) ?? 0;
    if (waiting >= MAX_WAITING_OF_ACCOUNT || this.#limit.pendingCount >= MAX_WAITING) {
      this.logger.warn({ execution: id, waiting }, 'too many failed runs; what this one saw is not kept');
      return;
    }
    this.#ofAccount.set(owner_id, waiting + 1);
    void this.#limit(() => this.#collect(run))
      .catch(error => {
        this.logger.warn({ err: error, execution: id }, 'keeping what a run saw failed');
      })
      .finally(() => this.#ended(owner_id));
  }

  #ended(ownerId: string): void {
    const left = (this.#ofAccount.get(ownerId) ?? 0) - 1;
    if (left > 0) this.#ofAccount.set(ownerId, left);
    else this.#ofAccount.delete(ownerId);
  }

  async #collect({ id, owner_id, worker_id }: SeeingRun): Promise<void> {
    const gz = await this.#read(worker_id ?? '', id);
    if (!gz) {
      this.logger.info({ execution: id }, 'the worker no longer has what a run saw');
      return;
    }
    const json = await unzip(gz, { maxOutputLength: EVIDENCE_JSON_BYTES });
    const evidence = evidenceSchema.parse(JSON.parse(json.toString()));
    if (await this.repository.save(owner_id, id, listOf(evidence), gz)) this.savedBytes.add(owner_id, gz.length);
  }

  /** @returns null if the worker is gone or has nothing. */
  async #read(workerId: string, id: string): Promise<Buffer | null> {
    const parts: Uint8Array[] = [];
    for (let from = 0, bytes = 1; from < bytes; ) {
      const link = this.connections.get(workerId);
      if (!link) return null;
      const part = await askWorker(link.socket, 'exchanges_read', { id, from });
      bytes = Number(part.bytes);
      if (!(part.gz instanceof Uint8Array) || part.gz.length === 0 || !(bytes <= EVIDENCE_BYTES)) return null;
      parts.push(part.gz);
      from += part.gz.length;
    }
    return Buffer.concat(parts);
  }
}
