import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import type { Api, TestApp } from './test-app.js';

/** A database that belongs to the developer. Tests reach it through the API and through MongoDB's driver. */
export interface TestDatabase {
  id: string;
  /** Its name in MongoDB. */
  dbName: string;
  api: Api;
  db: mongoose.mongo.Db;
  /** Returns the name of a new collection, the API path of its documents, and the driver's collection. */
  fresh: () => { name: string; at: string; collection: mongoose.mongo.Collection<any> };
  close: () => Promise<void>;
}

/** Creates a database for the tests of the calling file, and drops it after them. */
export function databaseForFile(app: TestApp): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => {
    Object.assign(database, await makeDatabase(app));
  });
  afterAll(() => database.close?.());
  return database;
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
