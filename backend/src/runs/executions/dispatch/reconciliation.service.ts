import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { WorkerConnections, type WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { AnswersService } from '../answers/answers.service.js';
import { EndingsService, workerLost } from '../end/endings.service.js';
import { CommandSenderService } from './command-sender.service.js';
import { DispatchOutageLog } from './dispatch-outage-log.service.js';
import { type CommittedRow, LiveRunsRepository } from './live-runs.repository.js';
import { OffersService } from './offers.service.js';

const POLL_MS = 1_000;

/**
 * Once a second, compares what this process knows about each connected worker with the database, and repairs
 * differences. While neither this process nor the database has a run for these workers, there is nothing to compare.
 */
@Injectable()
export class ReconciliationService implements OnModuleInit {
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
    private readonly dueWork: DueWork,
  ) {}

  onModuleInit(): void {
    this.dueWork.add('reconciliation', {
      everyMs: POLL_MS,
      find: this.liveRuns.findRunsOf,
      values: () => {
        const links = [...this.connections.all()];
        return [links.map(link => link.workerId), links.some(link => link.offered.size > 0)];
      },
      run: () => this.reconcileAll(),
    });
  }

  /**
   * Offers runs that another backend inserted for a worker connected here, and repairs what an outage interrupted. Looks
   * once for all workers. Skips a worker whose last reconciliation is still in progress, so that a worker that does not
   * answer delays no other.
   */
  async reconcileAll(): Promise<void> {
    const links = [...this.connections.all()].filter(link => !this.#inProgress.has(link));
    if (links.length > 0) await this.#reconcileLinks(links);
  }

  /** Reconciles a worker at once, and again if its reconciliation is already in progress. */
  async reconcileSoon(link: WorkerLink): Promise<void> {
    if (this.#inProgress.has(link)) this.#inProgress.set(link, true);
    else await this.#reconcileLinks([link]);
  }

  async #reconcileLinks(links: WorkerLink[]): Promise<void> {
    for (const link of links) this.#inProgress.set(link, false);
    const again: WorkerLink[] = [];
    try {
      const before = new Map(links.map(link => [link, [...link.offered.keys()]]));
      const committed = byWorker(await this.liveRuns.committedTo(links));
      const withWaiting = await this.liveRuns.workersWithWaiting(links);
      await Promise.all(
        links.map(async link => {
          try {
            await this.#reconcile(link, before.get(link) ?? [], committed.get(link.workerId) ?? []);
            if (withWaiting.has(link.workerId)) await this.offers.offerWaiting(link);
            this.outages.success();
          } catch (error) {
            this.outages.failure(error, { worker: link.name });
          } finally {
            if (this.#inProgress.get(link)) again.push(link);
            this.#inProgress.delete(link);
          }
        }),
      );
    } catch (error) {
      for (const link of links) this.#inProgress.delete(link);
      this.outages.failure(error);
    }
    if (again.length > 0) await this.#reconcileLinks(again);
  }

  /**
   * Frees the slots of ended runs. Ends runs of an older boot of the worker with `worker_lost`. Offers runs of this
   * boot whose offer was never sent. Sends commands and answers again that are not acknowledged.
   */
  async #reconcile(link: WorkerLink, before: string[], rows: CommittedRow[]): Promise<void> {
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

function byWorker(rows: CommittedRow[]): Map<string, CommittedRow[]> {
  const grouped = new Map<string, CommittedRow[]>();
  for (const row of rows) {
    const others = grouped.get(row.worker_id);
    if (others) others.push(row);
    else grouped.set(row.worker_id, [row]);
  }
  return grouped;
}
