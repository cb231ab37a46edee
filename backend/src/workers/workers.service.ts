import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { SessionUser } from '../auth/current-user.js';
import { ApiError } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { listSqlPage } from '../common/list-rows.js';
import { isContained, isOffered } from './who-may-use.js';
import { Worker } from './worker.entity.js';
import type { CreatedWorkerDto, NewWorkerDto, WorkerDto, WorkersListQuery } from './workers.dto.js';

const SORTABLE = ['name', 'created_at', 'updated_at', 'id'];

interface WorkerRow extends Worker {
  online: boolean;
  usable: boolean;
  free_slots: number | null;
}

/** A worker is online while its lease runs and a backend holds its connection. */
const WITH_LEASE = `LEFT JOIN worker_leases l ON l.worker_id = w.id`;
const ONLINE = `(l.replica_id IS NOT NULL AND l.lease_until > now())`;

@Injectable()
export class WorkersService {
  constructor(@InjectRepository(Worker) private readonly workers: Repository<Worker>) {}

  /** Public workers and those assigned to the user; an administrator sees all. */
  async list(user: SessionUser, query: WorkersListQuery): Promise<List<WorkerDto>> {
    const list = {
      dataSource: this.workers,
      table: 'workers',
      alias: 'w',
      columns: `w.*, ${ONLINE} AS online, l.free_slots, ${isContained('w.id', '$1')} AS usable`,
      joins: WITH_LEASE,
      where: `${isOffered('w.id', '$1')} AND ($2::boolean IS NULL OR w.public = $2)`,
      values: [user.id, query.public ?? null],
    };
    return listSqlPage(list, query, parseSort(query.sort, SORTABLE), toDto);
  }

  /** @throws {ApiError} 409 `name_taken`. */
  async create(user: SessionUser, { name, public: isPublic }: NewWorkerDto): Promise<CreatedWorkerDto> {
    const key = `trw_${randomBytes(32).toString('base64url')}`;
    const [row] = await this.workers.query<Worker[]>(
      `INSERT INTO workers (id, name, public, key_hash) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING RETURNING *`,
      [uuidv7(), name, isPublic, hashOf(key)],
    );
    if (!row) throw new ApiError('name_taken', `There is already a worker with the name ${name}. Choose another one.`);
    return { ...toDto({ ...row, online: false, usable: user.built_in, free_slots: null }), key };
  }

  ofKey(key: string): Promise<Worker | null> {
    return this.workers.findOneBy({ key_hash: hashOf(key) });
  }
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

function toDto(row: WorkerRow): WorkerDto {
  return {
    id: row.id,
    name: row.name,
    public: row.public,
    ip_address: row.ip_address,
    version: row.version,
    status: row.online ? 'online' : 'offline',
    usable: row.usable,
    sandbox: row.sandbox,
    environments: row.environments,
    slots: row.slots,
    free_slots: row.online ? (row.free_slots ?? 0) : 0,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
