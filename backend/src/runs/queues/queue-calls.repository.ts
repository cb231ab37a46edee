import { Injectable } from '@nestjs/common';
import { QUEUE_LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { preparedQuery } from '../../platform/common/sql/prepared-query.js';
import type { AddArguments, SettleArguments, TakeArguments } from './queue-arguments.js';

/** A queue of an account, and the run that calls. */
export interface QueueCaller {
  ownerId: string;
  executionId: string;
  name: string;
}

export interface AddedRow {
  /** For each request 0 if it is new, 1 if the queue knows it, 2 if it is done. Null if it was refused. */
  states: number[] | null;
  /** Which limit refused the requests. */
  refusal: 'queues' | 'requests' | null;
}

export interface TakenRow {
  /** `left_by`: dead runs that had taken the request, the first of them at `taken_at`, in ms since 1970. */
  requests: { id: string; url: string; data: string | null; retries: number; left_by?: string[]; taken_at?: number }[];
  leased: number;
  due_ms: number | null;
}

export interface QueueCounts {
  waiting: number;
  taken: number;
  done: number;
  failed: number;
}

/** Places of one priority. */
const PLACES = 2n ** 48n;

/** The calls of runs, each of which is one statement: see the migration `queues`. */
@Injectable()
export class QueueCallsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async add(
    { ownerId, name }: QueueCaller,
    { fingerprints, urls, hosts, data, priority, forefront }: AddArguments,
  ): Promise<AddedRow> {
    const numbers = new Map([...new Set(hosts)].map((host, index) => [host, index + 1]));
    const [row] = await preparedQuery<AddedRow>(
      this.dataSource,
      'add to a queue',
      'SELECT * FROM queue_add_requests($1, $2, $3, $4::uuid[], $5::text[], $6::text[], $7::int[], $8::text[], $9, $10, $11, $12, $13, $14)',
      [
        ownerId,
        name,
        uuidv7(),
        fingerprints,
        urls,
        [...numbers.keys()],
        hosts.map(host => numbers.get(host)),
        data.some(text => text !== null) ? data : null,
        false, // not used any more
        String(-BigInt(priority) * PLACES),
        forefront,
        QUEUE_LIMITS.overheadBytes,
        QUEUE_LIMITS.requests,
        QUEUE_LIMITS.queues,
      ],
    );
    return row ?? { states: null, refusal: null };
  }

  async take({ ownerId, name, executionId }: QueueCaller, { take, count }: TakeArguments): Promise<TakenRow> {
    const [row] = await preparedQuery<{ requests: TakenRow['requests']; leased: string; due_ms: string | null }>(
      this.dataSource,
      'take from a queue',
      'SELECT * FROM queue_take($1, $2, $3, $4, $5, $6)',
      [ownerId, name, executionId, take, count, QUEUE_LIMITS.requestsAtOnce],
    );
    const { requests = [], leased = 0, due_ms = null } = row ?? {};
    return { requests, leased: Number(leased), due_ms: due_ms === null ? null : Number(due_ms) };
  }

  /** Counts the requests of a queue by their state. */
  async counts({ ownerId, name }: QueueCaller): Promise<QueueCounts> {
    const [row] = await this.dataSource.query<Record<keyof QueueCounts, string>[]>(
      `SELECT waiting + delayed AS waiting, leased AS taken, done, failed FROM queues
       WHERE owner_id = $1 AND name = $2 AND deleted_at IS NULL`,
      [ownerId, name],
    );
    const { waiting = 0, taken = 0, done = 0, failed = 0 } = row ?? {};
    return { waiting: Number(waiting), taken: Number(taken), done: Number(done), failed: Number(failed) };
  }

  /** Marks a queue as deleted. The next request makes a new one of the same name. */
  async drop({ ownerId, name }: QueueCaller): Promise<void> {
    await this.dataSource.query(
      'UPDATE queues SET deleted_at = now() WHERE owner_id = $1 AND name = $2 AND deleted_at IS NULL',
      [ownerId, name],
    );
  }

  async settle({ ownerId, name, executionId }: QueueCaller, settled: SettleArguments): Promise<void> {
    const { fingerprints, takes, outcomes, delays, errors } = settled;
    await preparedQuery(
      this.dataSource,
      'settle in a queue',
      'SELECT queue_settle($1, $2, $3, $4::uuid[], $5::int[], $6::"char"[], $7::bigint[], $8::text[])',
      [ownerId, name, executionId, fingerprints, takes, [...outcomes], delays, errors],
    );
  }
}
