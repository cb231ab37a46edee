import { ApiError } from '../../common/errors.js';

/** The error for a file that cannot be read any further. */
export class UnreadableFile extends ApiError {
  constructor(message: string) {
    super('validation_failed', message);
  }
}
