import { Injectable } from '@nestjs/common';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { DocumentBatchesService } from '../../../data/storage/documents/document-batches.service.js';
import { parseFilter } from '../../../data/storage/documents/mongo-parameters.js';
import { rowsCollection } from '../../../data/storage/mongodb/collection-names.js';
import { ApiError } from '../../../platform/common/errors.js';
import { ExecutionsService } from '../../../runs/executions/records/executions.service.js';
import { VerdictsRepository } from '../../../runs/executions/verdicts/verdicts.repository.js';
import {
  type ExportSource,
  type ReadOptions,
  refuseFields,
  refuseGroup,
  type SourceParams,
  TIME_FIELDS,
} from './source.js';

/** The rows that a run has stored with `dataset.push`. */
@Injectable()
export class RunSource implements ExportSource {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly databases: MongoDatabasesService,
    private readonly documents: DocumentBatchesService,
    private readonly verdicts: VerdictsRepository,
  ) {}

  async check(ownerId: string, params: SourceParams): Promise<string> {
    const executionId = executionIdOf(params);
    checkFieldsOfRun(params);
    await this.executions.get(ownerId, executionId);
    await this.#checkHeld(executionId);
    await this.databases.resolve(ownerId);
    return `rows-${executionId}`;
  }

  async *read(ownerId: string, params: SourceParams, { fields, signal }: ReadOptions): AsyncGenerator<Uint8Array[]> {
    const executionId = executionIdOf(params);
    const run = await this.executions.get(ownerId, executionId);
    await this.#checkHeld(executionId);
    const { id: dbId } = await this.databases.resolve(ownerId);
    const query = { filter: { $and: [{ _run: executionId }, parseFilter(params.filter)] }, fields };
    yield* this.documents.read(ownerId, dbId, rowsCollection(run), query, signal);
  }

  /** @throws {ApiError} 409 if the rows of the run are held. */
  async #checkHeld(executionId: string): Promise<void> {
    if ((await this.verdicts.holdOn(executionId)) === null) return;
    throw new ApiError(
      'conflict',
      `The rows of the run ${executionId} are held, because the contract of its skript says \`on_broken: hold\`. Wait for its verdict. If it is broken, accept its rows, and export them then.`,
    );
  }
}

/** @throws {ApiError} 400 for a field that does not work for runs, or a wrong filter. */
export function checkFieldsOfRun(params: SourceParams): void {
  refuseGroup(params);
  refuseFields(params, TIME_FIELDS, 'An export of a run has all its rows that match the filter');
  parseFilter(params.filter);
}

/** @throws {ApiError} 400 without the id of a run */
export function executionIdOf({ execution_id, source }: SourceParams): string {
  if (execution_id !== undefined) return execution_id;
  const message = `is missing: the source ${source} needs it`;
  throw new ApiError('validation_failed', `execution_id ${message}.`, [{ field: 'execution_id', message }]);
}
