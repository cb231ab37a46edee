import { createHash } from 'node:crypto';
import { types } from 'node:util';
import { CHANGE_KINDS, type ChangeKind } from '@trawl/contracts';
import { toPlain } from '../../../data/storage/values/plain-json.js';
import { ApiError } from '../../../platform/common/errors.js';
import type { ChangeDto, ItemDto } from './items.dto.js';

export type Fields = Record<string, unknown>;

/** A field of an item that has another value. */
export interface FieldChange {
  /** Names joined by dots. */
  field: string;
  was: unknown;
  now: unknown;
}

/** A change, as it is in the collection `changes_<id of the skript>`. */
export interface StoredChange {
  /** See `changeId`. */
  _id: string;
  _run: string;
  _item: string;
  _key: string;
  kind: ChangeKind;
  /** A list, because the names of fields may have dots and dollars. */
  fields: FieldChange[] | null;
  at: Date;
}

/** What Trawl notes in an item besides the fields of its row. */
export interface ItemNotes {
  /** See `itemId`. */
  _id: string;
  _key: string;
  _first_seen: Date;
  _last_seen: Date;
  _changed_at: Date;
  _gone_at: Date | null;
  /** The newest run that found the item, or did not find it any more. */
  _run: string;
  /** Tells apart runs with different inputs: only one with the same input can make the item gone. */
  _input: string;
  /** Hash of the row's fields. */
  _hash: string;
}

/** The fields of rows and items that are Trawl's own. */
const OWN_FIELDS = new Set([
  '_id',
  '_run',
  '_at',
  '_key',
  '_first',
  '_attempt',
  '_partial',
  '_first_seen',
  '_last_seen',
  '_changed_at',
  '_gone_at',
  '_input',
  '_hash',
]);

const ID_DIGITS = 32;
/** Characters of an id in an error. */
const MAX_ID_CHARS = 100;

/** Returns the id of the item with this key. A key may be too long for an id. */
export const itemId = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, ID_DIGITS);

/** Returns the id of an item from its id or key: a key is JSON of an object, so it never looks like an id. */
export const itemIdOf = (idOrKey: string): string => (/^[0-9a-f]{32}$/.test(idOrKey) ? idOrKey : itemId(idOrKey));

/** A run changes an item at most once, so a merge that is repeated makes the same ids. They sort by the start of the run. */
export const changeId = (executionId: string, item: string): string => `${executionId}/${item}`;

/** Returns a filter that matches the changes of a run. `0` follows `/` in the order of characters. */
export const changesOf = (executionId: string): { _id: { $gte: string; $lt: string } } => ({
  _id: { $gte: `${executionId}/`, $lt: `${executionId}0` },
});

/** Returns the fields of a row or item without those that Trawl sets. */
export const ownFields = (document: Fields): Fields =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !OWN_FIELDS.has(name)));

/** @throws {ApiError} 422 for a document that is not Trawl's: users may write to these collections. */
export function toChangeDto(document: Fields): ChangeDto {
  const { fields: of, kind: is } = document;
  const hasFields = of === null || (Array.isArray(of) && of.every(one => typeof one?.field === 'string'));
  const isKind = CHANGE_KINDS.includes(is as ChangeKind);
  checkOwn(document, hasFields && isKind, { texts: ['_run', '_item', '_key'], dates: ['at'] });
  const { _run, _item, _key, kind, fields, at } = document as unknown as StoredChange;
  const plain = fields && (toPlain({ fields }).fields as FieldChange[]);
  return {
    execution_id: _run,
    kind,
    item_id: _item,
    key: _key,
    fields: plain && Object.fromEntries(plain.map(({ field, was, now }) => [field, { was, now }])),
    at: at.toISOString(),
  };
}

/** @throws {ApiError} 422 for a document that is not Trawl's. */
export function toItemDto(document: Fields): ItemDto {
  const dates = ['_first_seen', '_last_seen', '_changed_at', ...(document._gone_at === null ? [] : ['_gone_at'])];
  checkOwn(document, true, { texts: ['_id', '_key'], dates });
  const { _id, _key, _first_seen, _last_seen, _changed_at, _gone_at } = document as unknown as ItemNotes;
  return {
    id: _id,
    key: _key,
    fields: toPlain(ownFields(document)),
    first_seen: _first_seen.toISOString(),
    last_seen: _last_seen.toISOString(),
    changed_at: _changed_at.toISOString(),
    gone_at: _gone_at === null ? null : _gone_at.toISOString(),
  };
}

function checkOwn(document: Fields, isRight: boolean, { texts, dates }: { texts: string[]; dates: string[] }): void {
  const hasTexts = texts.every(name => typeof document[name] === 'string');
  const hasDates = dates.every(name => isValidDate(document[name]));
  if (isRight && hasTexts && hasDates) return;
  const id = JSON.stringify(toPlain({ _id: document._id })._id ?? null).slice(0, MAX_ID_CHARS);
  throw new ApiError(
    'storage_rejected',
    `The document with the _id ${id} is not as Trawl stores items and changes, or was changed. Delete it from its collection.`,
  );
}

const isValidDate = (value: unknown): boolean => types.isDate(value) && !Number.isNaN(value.getTime());
