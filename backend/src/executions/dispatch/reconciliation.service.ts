import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { WorkerConnections, type WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { AnswersService } from '../answers/answers.service.js';
import { EndingsService, workerLost } from '../end/endings.service.js';
import { LiveRunsRepository } from '../records/live-runs.repository.js';
import { CommandSenderService } from './command-sender.service.js';
import { DispatchOutageLog } from './dispatch-outage-log.service.js';
import { OffersService } from './offers.service.js';

const POLL_MS = 1_000;

/**
 * Once a second, compares what this process knows about each connected worker with the database, and repairs
 * differences.
 */
@Injectable()
export class ReconciliationService {
  /** Links whose reconciliation is in progress. The value is true if another one must follow. */
  readonly #inProgress = new Map<WorkerLink, boolean>();

  constructor(
    private readonly liveRuns: LiveRunsRepository,
    private readonly connections: WorkerConnections,
    private readonly endings: EndingsService,
    private readonly offers: OffersService,
    private readonly commands: CommandSenderService,
    private readonly answers: AnswersService,
    private readonly outages: DispatchOutageLog,
  ) {}

  /** Offers runs that another backend inserted for a worker connected here, and repairs what an outage interrupted. */
  @Interval(POLL_MS)
  async reconcileAll(): Promise<void> {
    await Promise.all([...this.connections.all()].map(link => this.#reconcileOnce(link)));
  }

  /** Reconciles a worker at once, and again if its reconciliation is already in progress. */
  async reconcileSoon(link: WorkerLink): Promise<void> {
    if (this.#inProgress.has(link)) this.#inProgress.set(link, true);
    else await this.#reconcileOnce(link);
  }

  /**
   * Does nothing if the last reconciliation of this worker is still in progress. So a worker that does not answer
   * delays no other worker.
   */
  async #reconcileOnce(link: WorkerLink): Promise<void> {
    if (this.#inProgress.has(link)) return;
    try {
      do {
        this.#inProgress.set(link, false);
        await this.#reconcile(link);
        await this.offers.offerWaiting(link);
      } while (this.#inProgress.get(link));
      this.outages.success();
    } catch (error) {
      this.outages.failure(error, { worker: link.name });
    } finally {
      this.#inProgress.delete(link);
    }
  }

  /**
   * Frees the slots of ended runs. Ends runs of an older boot of the worker with `worker_lost`. Offers runs of this
   * boot whose offer was never sent. Sends commands and answers again that are not acknowledged.
   */
  async #reconcile(link: WorkerLink): Promise<void> {
    const before = [...link.offered];
    const rows = await this.liveRuns.committedTo(link);
    const live = new Set(rows.map(row => row.execution_id));
    for (const id of before) if (!live.has(id)) link.offered.delete(id);
    const unknown = rows.filter(
      ({ execution_id: id }) => !link.offered.has(id) && !link.reserved.has(id) && !link.done.has(id),
    );
    const idsOf = (isOfThisBoot: boolean) =>
      unknown.filter(row => (row.boot_id === link.bootId) === isOfThisBoot).map(row => row.execution_id);
    await this.endings.fail(idsOf(false), { code: 'worker_lost', message: workerLost('restarted') });
    await this.offers.offerCommitted(link, idsOf(true));
    for (const { execution_id: id, want, cmd_seq, cmd_done, answers } of rows) {
      if (!link.offered.has(id)) continue;
      if (want && cmd_done < cmd_seq) await this.commands.send(link, { id, cmd: want, cmd_seq });
      if (answers) await this.answers.deliverWaiting(link, id, answers);
    }
  }
}
