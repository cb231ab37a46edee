import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { WriteBatcher } from '../common/batching/write-batcher.js';
import { CONFIG, type Config } from '../common/config.js';
import { entityFields } from '../common/entity.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { isDatabaseUnavailable } from '../common/postgres-errors.js';
import { firstIdAt } from '../common/sql/first-id-at.js';
import { preparedQuery } from '../common/sql/prepared-query.js';
import { Cleanups } from '../database/cleanups.service.js';
import { type List, parseSort } from '../http/lists/list-query.js';
import { listPage } from '../http/lists/list-rows.js';
import type { AuditEntryDto, AuditQuery, OwnAuditQuery } from './audit.dto.js';
import { AuditEntry } from './audit-entry.entity.js';
import { namesOf } from './target-names.repository.js';

export const SORTABLE = ['created_at', 'id'];

export type AuditEvent = Omit<AuditEntry, 'id' | 'created_at' | 'updated_at'>;

/** When this many events wait for the database, further ones are dropped and logged. */
const MAX_UNWRITTEN = 20_000;
const RETRY_DELAY_MS = 1_000;
/**
 * Pause after each write. Calls that arrive during the pause are written with one statement. A call that arrives when
 * no write or pause is in progress is written at once.
 */
const REST_MS = 50;
const DELETE_BATCH = 10_000;
const NO_TARGET = { target_kind: null, target_id: null };

/**
 * Writes the audit log in the background. An API call does not wait until its entry is written, and does not fail if
 * writing fails.
 */
@Injectable()
export class AuditLog implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  readonly #unwritten = new Set<Promise<void>>();
  /** Names that calls read before they deleted the resources, by id. */
  readonly #deletedNames = new LRUCache<string, string>({ max: 10_000, ttl: 60_000 });
  readonly #outages: OutageLog;
  readonly #closing = new AbortController();
  readonly #gatherer = new WriteBatcher<AuditEvent & { id: string; created_at: Date }, undefined>(
    entries => this.#write(entries),
    () => this.#pause(REST_MS),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'failed to write the audit log; retrying every second');
  }

  onModuleInit(): void {
    this.cleanups.add('audit log', 'nightly', () => this.removeOld());
  }

  record(event: AuditEvent): void {
    if (this.#unwritten.size >= MAX_UNWRITTEN) {
      this.logger.error({ action: event.action }, 'audit event dropped: too many wait to be written');
      return;
    }
    const writing = this.#gatherer.add({ ...event, id: uuidv7(), created_at: new Date() }).then(
      () => undefined,
      error => this.logger.error({ err: error, action: event.action }, 'audit event lost'),
    );
    this.#unwritten.add(writing);
    void writing.finally(() => this.#unwritten.delete(writing));
  }

  /**
   * Returns the name of a resource that a call deletes; null if it has none, or if the database fails. Earlier calls about
   * it, whose entries are written after the deletion, get this name, too.
   */
  async nameBeforeDeletion({ kind, id }: { kind: string; id: string }): Promise<string | null> {
    try {
      const [name = null] = await namesOf(this.dataSource, [{ target_kind: kind, target_id: id }]);
      if (name !== null) this.#deletedNames.set(id, name);
      return name;
    } catch (error) {
      this.logger.warn({ err: error, kind, id }, 'failed to read the name of an audited resource');
      return null;
    }
  }

  /** Resolves when all events recorded so far are written or lost. */
  async flush(): Promise<void> {
    await Promise.all(this.#unwritten);
  }

  async onModuleDestroy(): Promise<void> {
    this.#closing.abort();
    await this.flush();
  }

  async list(query: AuditQuery | OwnAuditQuery, userId?: string): Promise<List<AuditEntryDto>> {
    // The ids are in the order of time. Sorting by id lets PostgreSQL use one index for the filter and for the order.
    const [[, direction] = ['id', 'DESC' as const]] = parseSort(query.sort, SORTABLE);
    const matching = this.dataSource.getRepository(AuditEntry).createQueryBuilder('a');
    const { user_id = undefined } = 'user_id' in query ? query : {};
    const filters: [condition: string, name: string, value: string | undefined][] = [
      ['a.user_id = :caller', 'caller', userId],
      ['a.user_id = :user_id', 'user_id', user_id],
      ['a.action = :action', 'action', query.action],
      ['a.target_id = :target_id', 'target_id', query.target_id],
      ['a.id >= :from', 'from', query.from && firstIdAt(new Date(query.from))],
      ['a.id < :to', 'to', query.to && firstIdAt(new Date(query.to))],
    ];
    for (const [condition, name, value] of filters)
      if (value !== undefined) matching.andWhere(condition, { [name]: value });
    return listPage(matching, query, [['id', direction]], async rows => {
      const names = await namesOf(this.dataSource, rows);
      return rows.map((row, index) => toDto(row, names[index] ?? row.target_name));
    });
  }

  /**
   * Removes old entries at the start too, because a backend that restarts often may never run at the scheduled time.
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.removeOld();
  }

  async removeOld(): Promise<void> {
    for (let deleted = DELETE_BATCH; deleted === DELETE_BATCH; ) {
      [, deleted] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE id < first_id_at(now() - $1 * interval '1 day')
           ORDER BY id LIMIT ${DELETE_BATCH})`,
        [this.config.auditDays],
      );
    }
  }

  /**
   * Retries while the database cannot be reached, and one last time at shutdown. Writing an entry twice is harmless,
   * because the second copy has the same id and is ignored.
   */
  async #write(entries: (AuditEvent & { id: string; created_at: Date })[]): Promise<undefined[]> {
    for (;;) {
      const isLastTry = this.#closing.signal.aborted;
      try {
        await this.#insert(entries);
        this.#outages.success();
        return entries.map(() => undefined);
      } catch (error) {
        if (isLastTry || !isDatabaseUnavailable(error)) throw error;
        this.#outages.failure(error);
      }
      await this.#pause(RETRY_DELAY_MS);
    }
  }

  /** Waits for `ms` milliseconds, or until the backend stops. */
  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }

  async #insert(entries: (AuditEvent & { id: string; created_at: Date })[]): Promise<void> {
    // Mostly none is left to look up: answers to creations have the name, and deletions read it before.
    const nameless = entries.map(entry => (entry.target_name === null ? entry : NO_TARGET));
    const names = await namesOf(this.dataSource, nameless);
    const named = entries.map((entry, index) => ({
      ...entry,
      target_name: entry.target_name ?? names[index] ?? this.#deletedNames.get(entry.target_id ?? '') ?? null,
    }));
    await preparedQuery(
      this.dataSource,
      'audit log',
      `INSERT INTO audit_log (id, user_id, username, key_id, key_name, action, target_kind, target_id, target_name, fields, status, ip, created_at, updated_at)
       SELECT id, user_id, username, key_id, key_name, action, target_kind, target_id, target_name, fields, status, ip, created_at, created_at
       FROM json_to_recordset($1) AS e (id uuid, user_id uuid, username text, key_id uuid, key_name text, action text,
         target_kind text, target_id text, target_name text, fields text[], status integer, ip text, created_at timestamptz)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(named)],
    );
  }
}

const toDto = (row: AuditEntry, name: string | null): AuditEntryDto => ({
  ...entityFields(row),
  user: row.user_id === null ? null : { id: row.user_id, username: row.username ?? '' },
  key: row.key_id === null ? null : { id: row.key_id, name: row.key_name ?? '' },
  action: row.action,
  target: row.target_kind === null ? null : { kind: row.target_kind, id: row.target_id ?? '', name },
  fields: row.fields,
  status: row.status,
  ip: row.ip,
});
