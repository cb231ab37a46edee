import { Injectable } from '@nestjs/common';
import type { TableType } from '@trawl/contracts';
import { invalid } from '../../../data/storage/values/extended-json.js';
import type { TableParams } from '../import-params.js';
import { type Inspection, isTable, type Row } from '../reading/rows.js';
import {
  assertFits,
  checkTableColumns,
  fittedTo,
  suggestTableColumns,
  type TableColumn,
  type TableDefinition,
} from './table-columns.js';
import { fieldsIn, sampleValues, valuesReader } from './table-values.js';
import { assertHasKey, ImportTablesService } from './tables.service.js';

/** How a file goes into a table. */
interface TablePlan {
  /** Null if the import creates it. */
  table: TableDefinition | null;
  /** The columns of the file, or the fields of its first documents. */
  names: string[];
  columns: TableColumn[];
}

/** Plans how the columns of files go into tables. */
@Injectable()
export class ImportPlansService {
  constructor(private readonly tables: ImportTablesService) {}

  /**
   * Suggests a plan, with a function that returns the texts for PostgreSQL of a row.
   * @throws {ApiError} 400 naming the field.
   */
  async of(
    ownerId: string,
    inspection: Inspection,
    schema: string,
    name: string,
  ): Promise<TablePlan & { toRow: (row: Row) => Record<string, unknown> }> {
    const plan = this.#suggest(inspection, await this.tables.find(ownerId, schema, name));
    const { names, columns } = plan;
    const toValues = valuesReader(inspection.reading, names, columns, []);
    const toRow = (row: Row) => {
      const values = toValues(row);
      return Object.fromEntries(columns.map(({ field }, at) => [field, values[at] ?? null]));
    };
    return { ...plan, toRow };
  }

  /** @throws {ApiError} 400 naming the field, 422 `storage_rejected` if the table has no unique index for the key. */
  async forStart(
    ownerId: string,
    inspection: Inspection,
    wished: { schema: string; table: string; columns?: unknown; key: string[] },
  ): Promise<{ names: string[]; columns: TableColumn[]; creates: boolean }> {
    const { table, names, columns } = this.#suggest(
      inspection,
      await this.tables.find(ownerId, wished.schema, wished.table),
    );
    const chosen = wished.columns === undefined ? columns : checkTableColumns(wished.columns, columns, table);
    const fitting = assertFits(chosen, table);
    const unknown = wished.key.find(field => !fitting.some(column => column.field === field));
    if (unknown !== undefined) throw invalid('key', `no column of the import is named ${unknown}`);
    assertHasKey(wished.key, table);
    return { names, columns: fitting, creates: table === null };
  }

  /**
   * Plans an import again after something else has created its new table. Returns null if there is no table.
   * @throws {ApiError} 400 naming the field, 422 `storage_rejected` if the table has no unique index for the key.
   */
  async forCreatedMeanwhile(ownerId: string, params: TableParams): Promise<TableParams | null> {
    const table = await this.tables.find(ownerId, params.schema, params.table);
    if (!table) return null;
    assertHasKey(params.key, table);
    return { ...params, columns: fittedTo(table, params.columns), creates: false };
  }

  #suggest(inspection: Inspection, table: TableDefinition | null): TablePlan {
    const { reading, sample } = inspection;
    const isOfTable = isTable(reading.format);
    const names = isOfTable ? inspection.names : fieldsIn(reading, sample);
    const values = sample.map(row => sampleValues(reading, names, row));
    const columns = suggestTableColumns(names, values, {
      table,
      isTable: isOfTable,
      mark: reading.decimal_mark,
      ...(inspection.declared ? { declared: inspection.declared as TableType[] } : {}),
    });
    return { table, names, columns };
  }
}
