// @ts-check
// The routes of the benchmarks as bare Nest controllers: the same statements through `pg` and `mongodb`, the same answers,
// and nothing else: no guard, no validation, no mapping. Says which port it listens on.
import 'reflect-metadata';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import mongoose from 'mongoose';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.POSTGRES_URL, max: 20 });
const mongo = await mongoose.createConnection(String(process.env.MONGODB_URI)).asPromise();
const owner = process.env.OWNER_ID;

/** @param {string} text @param {unknown[]} values */
const rowsOf = async (text, values) => (await pool.query(text, values)).rows;

const SKRIPTS = `SELECT id, title, description, thumbnail, category, environment, worker_response_timeout, warm, retries,
  retry_delay_ms, stale, bundle_hash, created_at, updated_at FROM skripts s WHERE owner_id = $1
  ORDER BY created_at DESC, id DESC LIMIT $2`;
const COUNT = 'SELECT count(*)::int AS n FROM (SELECT 1 FROM skripts s WHERE owner_id = $1 LIMIT 10001) t';
const FILES = 'SELECT id, skript_id, name, size FROM skript_files WHERE skript_id = ANY($1) ORDER BY name';
const HOWTOS = `SELECT DISTINCT ON (skript_id) skript_id, left(content, 10000) AS howto FROM skript_files
  WHERE skript_id = ANY($1) AND name = ANY($2) ORDER BY skript_id, name`;
const ADD_INPUT = `WITH skript AS (SELECT id FROM skripts WHERE id = $1 AND owner_id = $2 FOR UPDATE)
  INSERT INTO inputs (id, skript_id, name, val) SELECT uuidv7(), id, $3, $4 FROM skript RETURNING *`;

class Bare {
  /** @param {string} limit */
  async skripts(limit) {
    const [rows, [counted]] = await Promise.all([rowsOf(SKRIPTS, [owner, limit]), rowsOf(COUNT, [owner])]);
    const ids = rows.map(({ id }) => id);
    const [files, howtos] = await Promise.all([
      rowsOf(FILES, [ids]),
      rowsOf(HOWTOS, [ids, ['howto.html', 'howto.md']]),
    ]);
    /** @type {Map<string, object[]>} */
    const filesOf = new Map(ids.map(id => [id, []]));
    for (const { id, skript_id, name, size } of files) filesOf.get(skript_id)?.push({ id, name, size });
    const howtoOf = new Map(howtos.map(({ skript_id, howto }) => [skript_id, howto]));
    const items = rows.map(row => ({
      ...row,
      files: filesOf.get(row.id),
      howto: howtoOf.get(row.id) ?? '',
    }));
    return { total: Math.min(counted.n, 10_000), limit: Number(limit), skip: 0, items };
  }

  /** @param {{ skript_id: string, name: string, val: unknown }} body */
  async addInput({ skript_id, name, val }) {
    const [row] = await rowsOf(ADD_INPUT, [skript_id, owner, name, JSON.stringify(val)]);
    return row;
  }

  /** @param {string} db @param {string} name @param {string} limit */
  async documents(db, name, limit) {
    const collection = mongo.useDb(db, { useCache: true }).collection(name);
    const [items, total] = await Promise.all([
      collection.find({}).sort({ _id: -1 }).limit(Number(limit)).toArray(),
      collection.countDocuments({}, { limit: 10_001 }),
    ]);
    return { total: Math.min(total, 10_000), limit: Number(limit), skip: 0, items };
  }
}

/**
 * What decorators would do, in a file that nothing compiles.
 * @param {'skripts' | 'addInput' | 'documents'} method @param {MethodDecorator} route @param {ParameterDecorator[]} parameters
 */
function route(method, route, ...parameters) {
  for (const [index, parameter] of parameters.entries()) parameter(Bare.prototype, method, index);
  route(
    Bare.prototype,
    method,
    /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(Bare.prototype, method)),
  );
}
route('skripts', Get('skripts/list'), Query('limit'));
route('addInput', Post('inputs/addnew'), Body());
route('documents', Get('mongo/:db/:collection/list'), Param('db'), Param('collection'), Query('limit'));
Controller()(Bare);

class BareModule {}
Module({ controllers: [Bare] })(BareModule);

const app = await NestFactory.create(BareModule, { logger: false });
await app.listen(0, '127.0.0.1');
console.log(`port ${app.getHttpServer().address().port}`);
