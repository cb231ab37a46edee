import { filterField } from '../../data/storage/documents/mongo-documents.dto.js';
import { ApiError } from '../../platform/common/errors.js';
import { BooleanField, EnumField, StringField } from '../../platform/http/fields.js';
import { MAX_COLUMNS } from './formats/columns.js';
import { FORMAT_NAMES, type FormatName } from './formats/formats.js';
import type { WriteOptions } from './formats/write-export.js';

export const LISTS = ['json', 'join'] as const;
export type Lists = (typeof LISTS)[number];

const fieldsDescription =
  'Fields to export, as dotted paths, separated by commas. They are the columns, in this order. Without it, Trawl reads all documents once more to find every field.';

/** The format of the file, and its columns. */
export class ExportFileQuery {
  @EnumField(FORMAT_NAMES, { description: 'Format of the file.', default: 'csv', optional: true })
  format: FormatName = 'csv';

  @StringField({
    description: fieldsDescription,
    example: 'title,seller.country',
    min: 1,
    max: 10_000,
    optional: true,
  })
  fields?: string;

  @BooleanField({
    description:
      'Whether nested fields become columns such as `seller.country`. Otherwise an object is JSON in one cell.',
    default: true,
    optional: true,
  })
  flatten = true;

  @EnumField(LISTS, {
    description: 'How a cell shows a list: as JSON, or joined by commas. Lists of objects are always JSON.',
    default: 'json',
    optional: true,
  })
  lists: Lists = 'json';

  @BooleanField({
    description: 'Whether a CSV file begins with a byte order mark. Excel needs it to read non-English letters.',
    default: false,
    optional: true,
  })
  bom = false;

  @BooleanField({
    description: 'Whether CSV has an apostrophe before each text that a spreadsheet would run as a formula.',
    default: true,
    optional: true,
  })
  escape_formulas = true;
}

/** The documents of the file, and its format. */
export class ExportQuery extends ExportFileQuery {
  @StringField(filterField)
  filter?: string;
}

/** The schema of a table of PostgreSQL, and the format of the file. */
export class TableExportQuery extends ExportFileQuery {
  @StringField({
    description: 'The schema of the table.',
    default: 'public',
    example: 'public',
    min: 1,
    max: 63,
    optional: true,
  })
  schema = 'public';
}

/** @throws {ApiError} 400 for names that are not valid in `fields`. */
export function writeOptionsOf(query: ExportFileQuery): WriteOptions {
  return {
    format: query.format,
    fields: parseFields(query.fields),
    flatten: query.flatten,
    joinsLists: query.lists === 'join',
    bom: query.bom,
    keepsFormulas: !query.escape_formulas,
  };
}

function parseFields(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  const paths = text.split(',').map(path => path.trim());
  if (paths.length > MAX_COLUMNS) throw invalid(`must not name more than ${MAX_COLUMNS} fields`);
  const all = new Set<string>();
  for (const path of paths) {
    const shown = JSON.stringify(path.slice(0, 100));
    if (path.split('.').some(name => name === '' || name.startsWith('$')))
      throw invalid(`${shown} is not a field name`);
    if (all.has(path)) throw invalid(`names ${shown} twice`);
    all.add(path);
  }
  for (const path of paths) {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      const parent = path.slice(0, dot);
      if (all.has(parent)) throw invalid(`names both ${parent.slice(0, 100)} and a field inside it`);
    }
  }
  return paths;
}

const invalid = (message: string): ApiError =>
  new ApiError('validation_failed', `fields ${message}.`, [{ field: 'fields', message }]);
