import { MongoSelectQuery } from '../../../data/storage/documents/mongo-documents.dto.js';
import { EnumField, IntField, StringField } from '../../../platform/http/fields.js';
import { MAX_CURSOR_CHARS, MAX_LIMIT } from '../../../platform/http/lists/list-query.js';

export const ROW_FORMATS = ['json', 'ndjson', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

export class RunRowsQuery extends MongoSelectQuery {
  @EnumField(ROW_FORMATS, {
    description: '`json`: a list. `ndjson`: one JSON object a line. `csv`: CSV with a header line.',
    default: 'json',
    optional: true,
  })
  format: RowFormat = 'json';

  @IntField({ description: 'Maximum number of rows to return.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @StringField({
    description: 'Cursor of the page to return: `next` or `X-Next-Cursor` of the previous page.',
    min: 1,
    max: MAX_CURSOR_CHARS,
    optional: true,
  })
  after?: string;
}
