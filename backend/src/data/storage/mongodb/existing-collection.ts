import type { mongo } from 'mongoose';
import { ApiError } from '../../../platform/common/errors.js';
import { READ } from './call-options.js';

/** @throws {ApiError} 404 if the database has no collection with this name. */
export async function checkExists(db: mongo.Db, name: string): Promise<void> {
  const [found] = await db.listCollections({ name, type: 'collection' }, { ...READ, nameOnly: true }).toArray();
  if (!found) throw noCollection(name);
}

export const noCollection = (name: string): ApiError =>
  new ApiError('not_found', `This database has no collection named ${name}.`);
