import { Inject, Injectable } from '@nestjs/common';
import type { Hello } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { LOGGER } from '../../../platform/common/logger.js';
import { keyHashOf, processKey } from '../worker-keys.js';
import { IS_CONNECTED } from '../worker-status.js';
import { WorkersService } from '../workers.service.js';
import { WorkerGroupsRepository } from './worker-groups.repository.js';

/** A process that connected with the key of a group. */
export interface GroupLogin {
  groupId: string;
  /** Name of the group. */
  name: string;
  key: string;
}

/** The worker that a process is, and the key of its own that it downloads with. */
export interface EnrolledWorker {
  id: string;
  name: string;
  key_hash: Buffer;
  key: string;
}

/**
 * Gives each process of a group a worker, and retires workers whose processes stay away.
 * See docs/decisions/0351-worker-keys-and-groups.md.
 */
@Injectable()
export class GroupMembers {
  constructor(
    private readonly groups: WorkerGroupsRepository,
    private readonly workers: WorkersService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** SQL expression with two parameters, and their values: whether there are workers to retire. */
  get retirement(): { find: (...times: string[]) => string; values: number[] } {
    return {
      find: (awayMs = '', leaseMs = '') => this.groups.isAnyRetired(awayMs, leaseMs),
      values: this.groups.times,
    };
  }

  /** Returns the login of a process that connects with the key of a group; null if no group has the key. */
  async loginOf(key: string): Promise<GroupLogin | null> {
    const group = await this.groups.findByKey(key);
    return group ? { groupId: group.id, name: group.name, key } : null;
  }

  /**
   * Finds the worker that a process is: the one that it was before, or else one that is away and has no runs, or else a
   * new one. Locks the group and the worker until the transaction ends, so that two processes never get the same.
   * Returns null if the group was deleted or its key replaced.
   */
  async enroll(manager: EntityManager, login: GroupLogin, hello: Hello): Promise<EnrolledWorker | null> {
    const [group] = await manager.query<{ public: boolean }[]>(
      'SELECT public FROM worker_groups WHERE id = $1 AND key_hash = $2 FOR UPDATE',
      [login.groupId, keyHashOf(login.key)],
    );
    if (!group) return null;
    const known = await this.#findWorker(manager, login.groupId, hello);
    const worker = known ?? (await this.#insertWorker(manager, login, group.public));
    const key = processKey(login.key, worker.id, hello.boot_id);
    const key_hash = keyHashOf(key);
    await manager.query('UPDATE workers SET key_hash = $2 WHERE id = $1', [worker.id, key_hash]);
    return { ...worker, key_hash, key };
  }

  /** Deletes the workers of groups that have been away for too long and that no run waits for. */
  async retire(): Promise<void> {
    for (const { id, name, group_id } of await this.groups.findRetired()) {
      const isRetired = await this.groups.transaction(async manager => {
        // First lock the group, as `enroll` does: a process may take over the worker right now.
        await this.groups.lock(manager, group_id);
        if (!(await this.groups.lockRetired(manager, id))) return false;
        await this.workers.deleteIn(manager, id);
        return true;
      });
      if (isRetired) this.logger.info({ worker: name }, 'worker of a group retired: away for too long');
    }
  }

  async #findWorker(
    manager: EntityManager,
    groupId: string,
    hello: Hello,
  ): Promise<{ id: string; name: string } | undefined> {
    const [worker] = await manager.query<{ id: string; name: string }[]>(
      `SELECT w.id, w.name FROM workers w JOIN worker_leases l ON l.worker_id = w.id
       WHERE w.group_id = $1 AND (l.boot_id IN ($2, $3)
         OR NOT ${IS_CONNECTED} AND NOT EXISTS (SELECT 1 FROM live_runs r WHERE r.worker_id = w.id AND r.boot_id IS NOT NULL))
       ORDER BY l.boot_id = $2 DESC, l.boot_id IS NOT DISTINCT FROM $3 DESC, length(w.name), w.name
       LIMIT 1 FOR NO KEY UPDATE OF w`,
      [groupId, hello.boot_id, hello.previous_boot_id],
    );
    return worker;
  }

  /** Adds a worker with the lowest number that no worker's name has. */
  async #insertWorker(
    manager: EntityManager,
    { groupId, name }: GroupLogin,
    isPublic: boolean,
  ): Promise<{ id: string; name: string }> {
    const id = uuidv7();
    const [worker] = await manager.query<{ name: string }[]>(
      `INSERT INTO workers (id, name, public, key_hash, group_id)
       SELECT $1::uuid, free.name, $3, sha256(convert_to($1::uuid::text, 'UTF8')), $4::uuid
       FROM generate_series(1, (SELECT count(*) + 1 FROM workers)) AS n, concat($2::text, '-', n) AS free(name)
       WHERE NOT EXISTS (SELECT 1 FROM workers w WHERE w.name = free.name) ORDER BY n LIMIT 1 RETURNING name`,
      [id, name, isPublic, groupId],
    );
    const { name: given } = worker as { name: string };
    this.logger.info({ worker: given }, 'worker of a group enrolled');
    return { id, name: given };
  }
}
