import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EchoPage, EchoRead } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { BACKEND_ID } from '../../platform/common/config.js';
import { RedisService } from '../../platform/redis/redis.service.js';
import { askWorker } from '../workers/connections/ask-worker.js';
import { WorkerConnections } from '../workers/connections/worker-connections.service.js';
import { IS_CONNECTED } from '../workers/worker-status.js';

export const READ_TIMEOUT_MS = 3_000;

interface Question {
  from: string;
  n: number;
  workerId: string;
  request: EchoRead;
}
interface Reply {
  n: number;
  page: EchoPage;
}

const questionsOf = (backendId: string): string => `questions:${backendId}`;
const repliesOf = (backendId: string): string => `replies:${backendId}`;

/** Reads echoes that are still on a worker which is connected to another backend. Asks that backend over Redis. */
@Injectable()
export class RemoteEchoes implements OnModuleInit {
  readonly #waiting = new Map<number, (page: EchoPage) => void>();
  #asked = 0;

  constructor(
    private readonly redis: RedisService,
    private readonly connections: WorkerConnections,
    private readonly dataSource: DataSource,
    @Inject(BACKEND_ID) private readonly backendId: string,
  ) {}

  onModuleInit(): void {
    if (!this.redis.isConfigured) return;
    this.redis.listen(questionsOf(this.backendId), (question: Question) => void this.#answer(question));
    this.redis.listen(repliesOf(this.backendId), ({ n, page }: Reply) => this.#waiting.get(n)?.(page));
  }

  /** @throws {Error} if the other backend does not answer in time. */
  async read(workerId: string, request: EchoRead): Promise<EchoPage> {
    const backend = this.redis.isAvailable ? await this.#backendOf(workerId) : null;
    if (backend === null || backend === this.backendId) return { items: [] };
    this.#asked += 1;
    const n = this.#asked;
    try {
      return await new Promise<EchoPage>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('another backend did not answer')), READ_TIMEOUT_MS);
        this.#waiting.set(n, page => {
          clearTimeout(timer);
          resolve(page);
        });
        const question: Question = { from: this.backendId, n, workerId, request };
        void this.redis.publish(questionsOf(backend), question).then(listening => {
          if (!listening) this.#waiting.get(n)?.({ items: [] });
        });
      });
    } finally {
      this.#waiting.delete(n);
    }
  }

  async #answer({ from, n, workerId, request }: Question): Promise<void> {
    const link = this.connections.get(workerId);
    if (!link) return;
    try {
      const page = await askWorker(link.socket, 'echo_read', request, READ_TIMEOUT_MS);
      await this.redis.publish(repliesOf(from), { n, page } satisfies Reply);
    } catch {
      // The worker did not answer. The other backend logs that nothing came.
    }
  }

  async #backendOf(workerId: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ replica_id: string }[]>(
      `SELECT l.replica_id FROM worker_leases l WHERE l.worker_id = $1 AND ${IS_CONNECTED}`,
      [workerId],
    );
    return row?.replica_id ?? null;
  }
}
