import { ApiError } from '../../common/errors.js';

/** The error for a file that cannot be read any further. */
export class UnreadableFile extends ApiError {
  constructor(message: string) {
    super('validation_failed', message);
  }
}

/**
 * Returns the message of a parser as the end of a sentence: short, without a full stop, and without the internal state of a
 * JSON parser, such as `Unexpected "s" at chunk position "0" (absolute …`.
 */
export const reasonOf = ({ message }: Error): string =>
  message
    .replace(/ at chunk position "\d+" \(absolute position "(\d+)"\)/, ' after $1 bytes')
    .replace(/ in state \w+$/, '')
    .slice(0, 200)
    .replace(/\.$/, '');
