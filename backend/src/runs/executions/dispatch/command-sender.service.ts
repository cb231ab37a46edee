import { Inject, Injectable } from '@nestjs/common';
import type { Control, ControlAnswer } from '@trawl/contracts';
import type { Logger } from 'pino';
import { LOGGER } from '../../../platform/common/logger.js';
import { askWorker } from '../../workers/connections/ask-worker.js';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { waitingFor } from '../records/execution-rows.js';
import { LiveRunsRepository } from './live-runs.repository.js';

/** Sends committed commands (stop, pause, resume) to workers and records that they have carried them out. */
@Injectable()
export class CommandSenderService {
  constructor(
    private readonly liveRuns: LiveRunsRepository,
    private readonly events: ExecutionEvents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Sends a command once; reconciliation sends it again if the worker does not answer.
   * @returns why the worker refuses the command; null if it obeys or has not answered.
   */
  async send(link: WorkerLink, control: Control): Promise<string | null> {
    let answer: ControlAnswer;
    try {
      answer = await askWorker(link.socket, 'control', control);
    } catch {
      this.logger.warn({ worker: link.name, execution: control.id }, 'command not answered; sending it again');
      return null;
    }
    const wanted = control.cmd === 'pause' ? 'pause' : 'start';
    // A stop is not acknowledged here, because the worker reports the end of a stopped run with `finish`.
    const isDone = control.cmd !== 'stop' && (answer.action === wanted || answer.refused !== undefined);
    if (isDone) await this.#acknowledge(link, control, answer);
    return answer.refused ?? null;
  }

  async #acknowledge(link: WorkerLink, { id, cmd_seq }: Control, { action, refused }: ControlAnswer): Promise<void> {
    const rows = await this.liveRuns.acknowledgeCommand(id, cmd_seq, {
      action: action === 'pause' ? 'pause' : 'start',
      refusal: refused ?? null,
    });
    for (const row of rows) {
      this.events.publish({
        id,
        owner_id: row.owner_id,
        worker_id: link.workerId,
        action: row.action,
        waiting_for: waitingFor(row),
        updated_at: row.updated_at,
      });
    }
  }
}
