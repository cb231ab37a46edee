import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CommitGatherer } from '../common/commit-gatherer.js';
import { CONFIG, type Config } from '../common/config.js';
import { isDatabaseAway } from '../common/database-away.js';
import { entityFields } from '../common/entity.js';
import { firstIdAt } from '../common/first-id-at.js';
import { type List, parseSort } from '../common/list-query.js';
import { listPage } from '../common/list-rows.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { preparedQuery } from '../common/prepared-query.js';
import type { AuditEntryDto, AuditQuery, OwnAuditQuery } from './audit.dto.js';
import { AuditEntry } from './audit-entry.entity.js';

export type Happening = Omit<AuditEntry, 'id' | 'created_at' | 'updated_at'>;

/** With a database that does not answer, more than this is lost, and said so. */
const MOST_UNWRITTEN = 20_000;
const TRY_AGAIN_MS = 1_000;
/** So that many calls share a statement; a call that comes alone has its line at once. */
const REST_MS = 50;
const DELETED_AT_ONCE = 10_000;

/** Written behind the calls: none waits for it, and none fails with it. */
@Injectable()
export class AuditLog implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #unwritten = new Set<Promise<void>>();
  readonly #outages: OutageLog;
  readonly #closing = new AbortController();
  readonly #gatherer = new CommitGatherer<Happening & { id: string; created_at: Date }, undefined>(
    entries => this.#write(entries),
    () => this.#pause(REST_MS),
  );

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'the audit log cannot be written; it is tried again every second');
  }

  note(happening: Happening): void {
    if (this.#unwritten.size >= MOST_UNWRITTEN) {
      this.logger.error(
        { action: happening.action },
        'the audit log cannot be written as fast as it grows; this is lost',
      );
      return;
    }
    const writing = this.#gatherer.add({ ...happening, id: uuidv7(), created_at: new Date() }).then(
      () => undefined,
      error => this.logger.error({ err: error, action: happening.action }, 'a line of the audit log is lost'),
    );
    this.#unwritten.add(writing);
    void writing.finally(() => this.#unwritten.delete(writing));
  }

  /** When all that was noted so far is written, or lost. */
  async written(): Promise<void> {
    await Promise.all(this.#unwritten);
  }

  async onModuleDestroy(): Promise<void> {
    this.#closing.abort();
    await this.written();
  }

  async list(query: AuditQuery | OwnAuditQuery, userId?: string): Promise<List<AuditEntryDto>> {
    // Ids sort by time, so that one index serves the filter and the order.
    const [[, direction] = ['id', 'DESC' as const]] = parseSort(query.sort, ['created_at', 'id']);
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
    return listPage(matching, query, [['id', direction]], rows => rows.map(toDto));
  }

  /** A platform that never runs for long must not keep things longer. */
  async onApplicationBootstrap(): Promise<void> {
    await this.removeOld();
  }

  @Cron('19 4 * * *')
  async removeOld(): Promise<void> {
    const before = firstIdAt(new Date(Date.now() - this.config.auditDays * 24 * 3_600_000));
    for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE; ) {
      [, deleted] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE id < $1 ORDER BY id LIMIT ${DELETED_AT_ONCE})`,
        [before],
      );
    }
  }

  /** A database that is away is waited for; a backend that stops tries once more. What is written twice counts once. */
  async #write(entries: (Happening & { id: string; created_at: Date })[]): Promise<undefined[]> {
    for (;;) {
      const isLastTry = this.#closing.signal.aborted;
      try {
        await this.#insert(entries);
        this.#outages.success();
        return entries.map(() => undefined);
      } catch (error) {
        if (isLastTry || !isDatabaseAway(error)) throw error;
        this.#outages.failure(error);
      }
      await this.#pause(TRY_AGAIN_MS);
    }
  }

  /** Shorter when this backend stops. */
  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }

  async #insert(entries: (Happening & { id: string; created_at: Date })[]): Promise<void> {
    await preparedQuery(
      this.dataSource,
      'audit log',
      `INSERT INTO audit_log (id, user_id, username, key_id, key_name, action, target_kind, target_id, fields, status, ip, created_at, updated_at)
       SELECT id, user_id, username, key_id, key_name, action, target_kind, target_id, fields, status, ip, created_at, created_at
       FROM json_to_recordset($1) AS e (id uuid, user_id uuid, username text, key_id uuid, key_name text, action text,
         target_kind text, target_id text, fields text[], status integer, ip text, created_at timestamptz)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(entries)],
    );
  }
}

const toDto = (row: AuditEntry): AuditEntryDto => ({
  ...entityFields(row),
  user: row.user_id === null ? null : { id: row.user_id, username: row.username ?? '' },
  key: row.key_id === null ? null : { id: row.key_id, name: row.key_name ?? '' },
  action: row.action,
  target: row.target_kind === null ? null : { kind: row.target_kind, id: row.target_id ?? '' },
  fields: row.fields,
  status: row.status,
  ip: row.ip,
});
