import { Injectable } from '@nestjs/common';
import { toApiError } from '../../../data/postgres/sessions/postgres-failures.js';
import { UserStatementsService } from '../../../data/postgres/sessions/user-statements.service.js';
import { StorageFailure } from '../../../data/storage/mongodb/storage-failures.js';
import { invalid } from '../../../data/storage/values/extended-json.js';
import { ApiError } from '../../../platform/common/errors.js';
import { nameProblem, type TableDefinition } from './table-columns.js';
import type { ValueKind } from './table-types.js';

/** The relation of a name, with its columns and unique indexes. Names are qualified, as users can define others. */
const DEFINITION = `
  SELECT n.oid IS NOT NULL AND pg_catalog.has_schema_privilege(n.oid, 'USAGE'), c.relkind,
         (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
                   'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
                   'category', t.typcategory, 'takes_empty', e.takes, 'base', CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END,
                   'item', (SELECT pg_catalog.json_build_object('category', i.typcategory,
                              'base', CASE WHEN i.typbasetype = 0 THEN i.oid ELSE i.typbasetype END)
                              FROM pg_catalog.pg_type b JOIN pg_catalog.pg_type i ON i.oid = b.typelem
                             WHERE b.oid = CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END AND t.typcategory = 'A'),
                   'generated', a.attgenerated <> '',
                   'default', a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL) ORDER BY a.attnum)
            FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
                 CROSS JOIN LATERAL (
                   SELECT b.typname = ANY ($3) OR EXISTS (
                            SELECT FROM pg_catalog.pg_enum v WHERE v.enumtypid = b.oid AND v.enumlabel = '') AS takes
                     FROM pg_catalog.pg_type b WHERE b.oid = CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END) e
           WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
         (SELECT pg_catalog.json_agg((
                   SELECT pg_catalog.json_agg(a.attname)
                     FROM pg_catalog.pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])))
            FROM pg_catalog.pg_index i
           WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL)
    FROM (SELECT 1) one
    LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1
    LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = $2`;

/** Types besides texts for which an empty text is a value. For the others it is an error, so it becomes NULL. */
const WITH_EMPTY_VALUE = '{tsvector,tsquery,xml,varbit,int2vector,oidvector,hstore,ltree}';

const DEFINITION_BYTES = 4 * 1024 * 1024;
const JSON_TYPES = ['114', '3802'];
/** int8, int2, int4 and oid. */
const INTEGER_TYPES = ['20', '21', '23', '26'];
/** Ordinary, partitioned and foreign tables. */
const TABLES = ['r', 'p', 'f'];

/** Category and number of a type. Numbers in JSON of `oid` are texts. */
interface FoundType {
  category: string;
  base: string | number;
}

interface FoundColumn extends FoundType {
  name: string;
  type: string;
  /** The type of the items of an array. */
  item: FoundType | null;
  takes_empty: boolean;
  generated: boolean;
  default: boolean;
}

/** Looks up the tables into which rows are imported. */
@Injectable()
export class ImportTablesService {
  constructor(private readonly statements: UserStatementsService) {}

  /**
   * Returns a table of the account; null if there is none, so that it can be created.
   * @throws {ApiError} 400 for a name that no table can have, a schema that does not exist, and for a view.
   */
  async find(ownerId: string, schema: string, name: string): Promise<TableDefinition | null> {
    for (const [field, value] of Object.entries({ schema, table: name })) {
      const problem = nameProblem(value);
      if (problem) throw invalid(field, problem);
    }
    const [hasSchema, relkind, columns, indexes] = await this.#read(ownerId, [schema, name, WITH_EMPTY_VALUE]);
    if (hasSchema !== 't') throw invalid('schema', `you have no schema ${schema}. Create it with CREATE SCHEMA`);
    if (relkind === null || relkind === undefined) return null;
    if (!TABLES.includes(relkind)) throw invalid('table', `${name} is no table, so rows cannot be imported into it`);
    return {
      columns: (JSON.parse(columns ?? '[]') as FoundColumn[]).map(column => ({
        name: column.name,
        type: column.type,
        kind: column.takes_empty ? 'text' : kindOfType(column),
        itemKind: column.item ? kindOfType(column.item) : undefined,
        isGenerated: column.generated,
        hasDefault: column.default,
      })),
      uniqueIndexes: JSON.parse(indexes ?? '[]') as string[][],
    };
  }

  async #read(ownerId: string, params: string[]): Promise<(string | null)[]> {
    try {
      const limits = { rows: 1, bytes: DEFINITION_BYTES };
      const statement = { text: DEFINITION, params, readOnly: true, limits, isWholeResultNeeded: true };
      return (await this.statements.run(ownerId, statement)).rows[0] ?? [];
    } catch (error) {
      throw error instanceof StorageFailure ? toApiError(error) : error;
    }
  }
}

/** PostgreSQL's category of arrays is A, of numbers N, of texts S. */
function kindOfType({ category, base }: FoundType): ValueKind {
  if (category === 'A') return 'array';
  if (INTEGER_TYPES.includes(String(base))) return 'integer';
  if (category === 'N') return 'number';
  if (category === 'S') return 'text';
  return JSON_TYPES.includes(String(base)) ? 'json' : 'other';
}

/** @throws {ApiError} 422 if an existing table has no unique index on exactly these columns. */
export function assertHasKey(key: string[], table: TableDefinition | null): void {
  if (key.length === 0 || !table) return;
  const isKey = (index: string[]) => index.toSorted().join('\0') === key.toSorted().join('\0');
  if (table.uniqueIndexes.some(isKey)) return;
  throw new ApiError(
    'storage_rejected',
    `The table has no unique index on exactly ${key.join(', ')}. Add one, so that each row finds its row of the table.`,
  );
}
