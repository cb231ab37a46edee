import { ObjectId } from 'bson';
import { updateMany } from 'mingo';
import { cloneDeep } from 'mingo/util';
import type { Document } from '../protocol/document.js';
import { rejected, textOf } from './values.js';

export type Update = Document | Document[];

/** @throws {StorageError} unless an update is a pipeline or has only operators */
export function checkUpdate(update: Update): void {
  const isUpdate = Array.isArray(update) || Object.keys(update).every(name => name.startsWith('$'));
  if (!isUpdate || Object.keys(update).length === 0) throw rejected('An update needs operators such as $set.');
}

/** Returns a document after an update. `filter` decides what the positional operator `$` means. */
export function updated(document: Document, update: Update, filter: Document): Document {
  const { $setOnInsert: _, ...changes } = update as Document;
  return changed(document, Array.isArray(update) ? update : changes, filter);
}

/** Returns the document that an upsert inserts: the values that the filter compares for equality, then the update. */
export function upserted(filter: Document, update: Update): Document {
  const { _id, ...fields } = equalities(filter);
  const { $setOnInsert = {}, ...changes } = update as Document;
  const start = changed({ _id: _id ?? new ObjectId() }, { $set: fields }, {});
  if (Array.isArray(update)) return changed(start, update, {});
  const $set = { ...(changes.$set as Document), ...($setOnInsert as Document) };
  if (_id === undefined && '_id' in $set) start._id = $set._id;
  return changed(start, { ...changes, $set }, {});
}

/** The document with which an upsert by `replaceOne` begins. */
export function replacement(filter: Document, document: Document): Document {
  const { _id = new ObjectId(), ...fields } = document;
  return { _id: document._id ?? equalities(filter)._id ?? _id, ...fields };
}

function changed(document: Document, update: Update, filter: Document): Document {
  const copies = [cloneDeep(document) as Document];
  const _id = document._id;
  let changes = update;
  const { $set } = update as { $set?: Document };
  if ($set && '_id' in $set) {
    const { _id: wanted, ...rest } = $set;
    if (textOf([wanted]) !== textOf([_id])) throw rejected('An update cannot change the field _id.');
    changes = { ...update, $set: rest };
  }
  updateMany(copies, filter, changes as never, { cloneMode: 'deep' });
  const [result = document] = copies;
  if (textOf([result._id]) !== textOf([_id])) throw rejected('An update cannot change the field _id.');
  return result;
}

function equalities(filter: Document): Document {
  const fields: Document = {};
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and') Object.assign(fields, ...(value as Document[]).map(equalities));
    if (name.startsWith('$') || value instanceof RegExp) continue;
    const isOperators = value !== null && typeof value === 'object' && Object.keys(value)[0]?.startsWith('$');
    if (!isOperators) fields[name] = value;
    else if ('$eq' in (value as Document)) fields[name] = (value as Document).$eq;
  }
  return fields;
}
