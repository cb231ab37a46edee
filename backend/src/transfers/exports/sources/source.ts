import type { GroupDto } from '../../../data/storage/documents/groups.dto.js';
import { ApiError } from '../../../platform/common/errors.js';
import type { DeclaredColumns } from '../formats/declared.js';
import type { StoredDocument } from '../formats/documents.js';

/** Selects the documents of an export. Each source uses its own fields. */
export interface SourceParams {
  source: string;
  db_id?: string | undefined;
  collection?: string | undefined;
  filter?: string | undefined;
  execution_id?: string | undefined;
  schema?: string | undefined;
  table?: string | undefined;
  sql?: string | undefined;
  /** Exports groups of the documents instead of the documents themselves. */
  group?: GroupDto | undefined;
}

export interface ReadOptions {
  /** Dotted paths of the fields to read; null for all. */
  fields: string[] | null;
  /** Only documents that were added from `from` on and before `to`; null for no limit. */
  added: { from: Date | null; to: Date | null };
  /** Only documents with these ids, as BSON that has the field `_id`. Each call starts again. Only collections have it. */
  only?: (() => AsyncIterable<Uint8Array[]>) | undefined;
  /** Receives the columns before the first batch, if the source has columns. */
  declare?: ((columns: DeclaredColumns) => void) | undefined;
  /** Ends the reading when it aborts. */
  signal: AbortSignal;
}

/** No limit on when documents were added. */
export const ALL: ReadOptions['added'] = { from: null, to: null };

export interface ExportSource {
  /**
   * Checks the fields of the source.
   * @returns the name of the file, without extension.
   * @throws {ApiError} 400 for a wrong field, 404 for something that the owner does not have.
   */
  check(ownerId: string, params: SourceParams): Promise<string>;
  /** Reads all documents in batches, from the start each time. @throws {ApiError} as `check`, also later. */
  read(ownerId: string, params: SourceParams, options: ReadOptions): AsyncIterable<StoredDocument[]>;
}

/** Fields that select documents of a collection by the time when they were added, also those of exporters. */
export const TIME_FIELDS = ['added_from', 'added_before', 'only_new'];

/** @throws {ApiError} 400 if the request has one of these fields, which work only for collections. */
export function refuseFields(params: SourceParams, fields: string[], reason: string): void {
  const given = params as unknown as Record<string, unknown>;
  const field = fields.find(name => given[name]);
  if (field === undefined) return;
  const message = `works only for the source collection. ${reason}`;
  throw new ApiError('validation_failed', `${field} ${message}.`, [{ field, message }]);
}

/** @throws {ApiError} 400 if the request groups what cannot be grouped. */
export function refuseGroup({ group, source }: SourceParams): void {
  if (!group) return;
  const message = `works only for the sources collection and table, not for ${source}`;
  throw new ApiError('validation_failed', `group ${message}.`, [{ field: 'group', message }]);
}
