// @ts-check
// The benchmarked routes as bare Nest controllers: the same statements through `pg` and `mongodb` and the same
// responses, without guards, validation and mapping. Prints its port.
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

const SKRIPTS = `SELECT s.id, s.title, s.description, s.thumbnail, s.category, s.environment, s.worker_response_timeout, s.time_limit_ms,
  s.warm, s.retries, s.retry_delay_ms, s.tags, s.favourite, s.stale, s.bundle_hash, s.created_at, s.updated_at,
  (SELECT coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'size', f.size) ORDER BY f.name), '[]')
     FROM skript_files f WHERE f.skript_id = s.id) AS files,
  coalesce((SELECT left(f.content, 10000) FROM skript_files f WHERE f.skript_id = s.id AND f.name IN ('howto.html', 'howto.md')
     ORDER BY f.name LIMIT 1), '') AS howto
  FROM (SELECT * FROM skripts s WHERE s.owner_id = $1 ORDER BY s.created_at DESC, s.id DESC LIMIT $2) s
  ORDER BY s.created_at DESC, s.id DESC`;
const COUNT = 'SELECT count(*)::int AS n FROM (SELECT 1 FROM skripts s WHERE owner_id = $1 LIMIT 10001) t';
const ADD_INPUT = `INSERT INTO inputs (id, skript_id, name, val) SELECT uuidv7(), $1::uuid, $3, $4
  WHERE has_room_for_input($2, $1, false, $3, 500, 0) RETURNING *`;

class Bare {
  /** @param {string} limit */
  async skripts(limit) {
    const [items, [counted]] = await Promise.all([rowsOf(SKRIPTS, [owner, limit]), rowsOf(COUNT, [owner])]);
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
 * Applies decorators by hand, because nothing compiles this file.
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
