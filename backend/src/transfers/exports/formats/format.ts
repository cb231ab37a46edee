import type { CellOptions } from '../../../data/storage/values/cells.js';
import type { ColumnSet } from './columns.js';
import type { DeclaredColumns } from './declared.js';
import type { StoredDocument } from './documents.js';

export interface FormatOptions extends CellOptions {
  /** Whether the file begins with a byte order mark, by which Excel knows that a CSV file is UTF-8. */
  bom?: boolean;
  /** Is called for each number that becomes text, because numbers of the format can be no NaN and no infinity. */
  onNumberAsText?: () => void;
}

export interface ExportFormat {
  /** Extension of the file name, without the dot. */
  extension: string;
  contentType: string;
  /**
   * Says what the format must know before the first row: nothing, the names of the columns, or also the types of their
   * values. For types, the export reads all documents twice.
   */
  needs: 'nothing' | 'names' | 'types';
  /**
   * Writes the file in pieces. It keeps neither rows nor pieces, apart from a bounded number.
   * @param columns null if the format needs nothing.
   * @param declared what the source says of its columns. It is complete before the first batch arrives.
   */
  write(
    batches: AsyncIterable<StoredDocument[]>,
    columns: ColumnSet | null,
    options: FormatOptions,
    declared: DeclaredColumns,
  ): AsyncIterable<Uint8Array>;
}
