import { countText } from '@trawl/contracts';
import { ApiError } from '../../../platform/common/errors.js';

/** The error for a file that cannot be read any further. */
export class UnreadableFile extends ApiError {
  constructor(message: string) {
    super('validation_failed', message);
  }
}

/** Advice for a file that has no rows, such as a PDF. */
export const SAVE_AS_TABLE = 'Save it as .xlsx or CSV, and upload that file.';
export const COPY_TABLE = 'Copy its table into a spreadsheet, save that as .xlsx or CSV, and upload it.';

/** @param linesAbove lines above the header that the user or Trawl leaves out. */
export const emptyFile = (linesAbove = 0): UnreadableFile =>
  new UnreadableFile(
    linesAbove > 0
      ? `The file is empty below its ${countText(linesAbove, 'line')} above the header. Send a smaller \`skip_lines\`, or upload a file with rows.`
      : 'The file is empty: it has no text, or only empty lines. Upload a file with rows.',
  );

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
