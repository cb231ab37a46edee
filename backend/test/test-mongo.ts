import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import type { Api, TestApp } from './test-app.js';

/** A database of the developer's, over the API and as the driver sees it. */
export interface TestDatabase {
  id: string;
  /** What it is called in MongoDB. */
  dbName: string;
  api: Api;
  db: mongoose.mongo.Db;
  /** A collection that is not there yet, and the path of its documents. */
  fresh: () => { name: string; at: string; collection: mongoose.mongo.Collection<any> };
  close: () => Promise<void>;
}

export async function makeDatabase(app: TestApp): Promise<TestDatabase> {
  const api = await app.as('developer');
  const { id } = (await api('POST', '/joint-api/mongo-databases/addnew', { name: `db ${unique()}` })).body;
  const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE id = $1', [id]);
  const dbName = String(row?.db_name);
  const connection = await mongoose.createConnection(app.config.mongodbUri).asPromise();
  const db = connection.getClient().db(dbName);
  return {
    id,
    dbName,
    api,
    db,
    fresh: () => {
      const name = `c-${unique()}`;
      return { name, at: `/joint-api/mongo/${id}/${name}`, collection: db.collection<any>(name) };
    },
    close: async () => {
      await db.dropDatabase();
      await connection.close();
    },
  };
}

const unique = (): string => randomBytes(5).toString('hex');
