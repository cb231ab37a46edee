import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { NoticeEvent, NoticeSubject } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { Cleanups } from '../../database/cleanups.service.js';
import { type List, type ListQuery, parseSort } from '../../http/lists/list-query.js';
import { listSqlPage } from '../../http/lists/list-rows.js';
import { type EventData, eventText } from '../emails/notification-mail.js';
import type { NoticeDto, ReadNoticesDto } from './notices.dto.js';

export const SORTABLE = ['created_at', 'id'];

const KEPT_DAYS = 30;
/** Number of notices of an account that stay. */
const KEPT = 200;

interface IssueData {
  /** First line of the error. */
  message?: string;
  came_back?: boolean;
}

interface NoticeRow {
  id: string;
  event: NoticeEvent;
  payload: EventData & IssueData & Partial<Record<NoticeSubject, { id?: string; name?: string }>>;
  read_at: Date | null;
  created_at: Date;
}

/** Lists the notices of an account, and marks them as read. */
@Injectable()
export class NoticesService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('notices', 'hourly', () => this.removeOld());
  }

  list(ownerId: string, query: ListQuery): Promise<List<NoticeDto>> {
    const rows = {
      table: 'notices',
      alias: 'n',
      columns: 'n.*',
      joins: '',
      where: 'n.owner_id = $1',
      values: [ownerId],
    };
    const order = parseSort(query.sort, SORTABLE, '-created_at');
    return listSqlPage({ dataSource: this.dataSource, ...rows }, query, order, toDto);
  }

  async countUnread(ownerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ n: number }[]>(
      'SELECT count(*)::int AS n FROM notices WHERE owner_id = $1 AND read_at IS NULL',
      [ownerId],
    );
    return row?.n ?? 0;
  }

  async markRead(ownerId: string): Promise<ReadNoticesDto> {
    const [, read] = await this.dataSource.query<[unknown[], number]>(
      'UPDATE notices SET read_at = now() WHERE owner_id = $1 AND read_at IS NULL',
      [ownerId],
    );
    return { read };
  }

  async removeOld(): Promise<void> {
    await this.dataSource.query(`DELETE FROM notices WHERE created_at < now() - interval '${KEPT_DAYS} days'`);
    await this.dataSource.query(
      `DELETE FROM notices WHERE id IN (
         SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY owner_id ORDER BY created_at DESC, id DESC) AS place
                         FROM notices) placed
         WHERE place > ${KEPT})`,
    );
  }
}

function toDto({ id, event, payload, read_at, created_at }: NoticeRow): NoticeDto {
  const kind = event.split('.')[0] as NoticeSubject;
  const { id: subjectId, name } =
    kind === 'rows' ? { id: payload.execution_id, name: payload.skript?.name } : (payload[kind] ?? {});
  const at = (read_at ?? created_at).toISOString();
  return {
    id,
    event,
    text: event === 'issue.opened' ? issueText(name ?? '', payload) : eventText(event, name ?? '', payload),
    subject: { kind, id: subjectId ?? null },
    read: read_at !== null,
    created_at: created_at.toISOString(),
    updated_at: at,
  };
}

const issueText = (skript: string, { message, came_back }: IssueData): string =>
  `“${skript}” ${came_back ? 'fails again' : 'fails'}: ${message}`;
