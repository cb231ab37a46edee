import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApiError } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { type StorageFailure, toStorageFailure } from './storage-failures.js';

/** Translates errors of MongoDB and its driver to the API's errors. */
@Injectable()
export class MongoErrorsService {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * Runs `work` and translates its errors.
   * @param isRetrySafe whether the caller may send `work` again when its outcome is unknown.
   * @throws {ApiError} 409, 422 or 503 for a failure of MongoDB; rethrows every other error.
   */
  async translate<T>(work: () => Promise<T>, isRetrySafe = true): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const failure = toStorageFailure(error, isRetrySafe);
      if (!failure) throw error;
      // Log only codes, because MongoDB's message contains values from the user's documents.
      const { code, codeName } = error as { code?: unknown; codeName?: unknown };
      this.logger.debug({ failure: failure.code, code, codeName }, 'MongoDB refused a call');
      throw toApiError(failure);
    }
  }
}

function toApiError({ code, message }: StorageFailure): ApiError {
  switch (code) {
    case 'storage_unavailable':
      return new ApiError(code, `${message} Try again in a few seconds.`);
    case 'storage_duplicate_key':
    case 'storage_outcome_unknown':
      return new ApiError(code, message);
    default:
      return new ApiError('storage_rejected', message);
  }
}
