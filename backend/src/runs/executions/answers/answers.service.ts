import { Injectable } from '@nestjs/common';
import { type AnswerResult, isLive, LIMITS } from '@trawl/contracts';
import { filter, firstValueFrom, map, merge, ReplaySubject, timer } from 'rxjs';
import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../../../platform/common/errors.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { PostgresNotices } from '../../../platform/database/postgres-notices.service.js';
import { askWorker } from '../../workers/connections/ask-worker.js';
import { WorkerConnections, type WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { ExecutionsService } from '../records/executions.service.js';
import type { AnsweredDto, AnswerQuestionDto } from './answers.dto.js';
import { AnswersRepository, type StoredAnswer } from './answers.repository.js';

/** How long a call waits until another backend has delivered the answer to its worker. */
const OTHER_BACKEND_MS = 3_000;

/**
 * Delivers answers to the questions of runs. An answer is stored until its worker has acknowledged it; the worker
 * decides which answer is the first.
 */
@Injectable()
export class AnswersService {
  constructor(
    private readonly answers: AnswersRepository,
    private readonly executions: ExecutionsService,
    private readonly connections: WorkerConnections,
    private readonly box: SecretBox,
    private readonly notices: PostgresNotices,
  ) {}

  /**
   * Answers a question of a live run.
   * @throws {ApiError} 400 for an answer that is not among the choices; 404 for an unknown run or question, or
   *   `no_live_run`; 409 `conflict` for a question that is closed, or if too many answers wait for the worker.
   */
  async answer(ownerId: string, executionId: string, { seq, answer }: AnswerQuestionDto): Promise<AnsweredDto> {
    const key = uuidv7();
    const stored = { seq, sealed: this.box.seal(answer, key).toString('base64') };
    const result = await this.#resultOf(ownerId, executionId, key, stored);
    if (result === 'unknown') throw noQuestion(seq);
    if (result === 'closed')
      throw new ApiError('conflict', `The question of echo ${seq} is closed: it has an answer, or it timed out.`);
    if (result === 'not_a_choice') {
      const message = 'must be exactly one of the choices of the question';
      throw new ApiError('validation_failed', `answer ${message}.`, [{ field: 'answer', message }]);
    }
    return { delivered: result !== null };
  }

  /** Stores an answer and returns what the worker says of it; null if the worker has not acknowledged it in time. */
  async #resultOf(
    ownerId: string,
    executionId: string,
    key: string,
    stored: StoredAnswer,
  ): Promise<AnswerResult['result'] | null> {
    // Listen before the answer is stored. Otherwise the result from another backend could be missed.
    const results = new ReplaySubject<AnswerResult['result']>();
    const listening = this.notices
      .on('trawl_answers')
      .pipe(
        filter(payload => payload?.startsWith(`${key} `) === true),
        map(payload => payload?.slice(key.length + 1) as AnswerResult['result']),
      )
      .subscribe(results);
    try {
      const worker = await this.answers.add(ownerId, executionId, key, stored);
      if (worker === null) throw await this.#refusal(ownerId, executionId, stored.seq);
      const link = this.connections.get(worker.worker_id);
      if (link) return await this.#deliver(link, executionId, key, stored);
      if (!worker.is_connected) return null;
      return await firstValueFrom(merge(results, timer(OTHER_BACKEND_MS).pipe(map(() => null))));
    } finally {
      listening.unsubscribe();
    }
  }

  /** Delivers the answers that wait for a run of a connected worker. */
  async deliverWaiting(link: WorkerLink, executionId: string, answers: Record<string, StoredAnswer>): Promise<void> {
    for (const key of Object.keys(answers).sort()) {
      await this.#deliver(link, executionId, key, answers[key] as StoredAnswer);
    }
  }

  /** Returns null if the worker does not acknowledge the answer; reconciliation then delivers it. */
  async #deliver(
    link: WorkerLink,
    id: string,
    key: string,
    { seq, sealed }: StoredAnswer,
  ): Promise<AnswerResult['result'] | null> {
    const answer = this.box.open(Buffer.from(sealed, 'base64'), key);
    const acknowledged = await askWorker(link.socket, 'answer', { id, seq, answer, key }).catch(() => null);
    if (acknowledged === null) return null;
    await this.answers.remove(id, key, acknowledged.result);
    return acknowledged.result;
  }

  async #refusal(ownerId: string, executionId: string, seq: number): Promise<ApiError> {
    const { action, waiting_for } = await this.executions.get(ownerId, executionId);
    if (!isLive(action)) return new ApiError('no_live_run', 'The run is over, so it cannot get an answer.');
    if (waiting_for !== null) return noQuestion(seq);
    return new ApiError(
      'conflict',
      `${LIMITS.waitingAnswers} answers already wait for the worker of this run. Send yours when the worker is connected.`,
    );
  }
}

const noQuestion = (seq: number): ApiError =>
  new ApiError('not_found', `This run has asked no question with the seq ${seq}.`);
