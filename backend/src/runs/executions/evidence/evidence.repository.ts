import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import type { RunExchangesDto } from './evidence.dto.js';

/** Statements on `run_evidence`. */
@Injectable()
export class EvidenceRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Saves what a run saw, unless it is saved, the run was deleted, or its account has used up its quota of saved bytes.
   * @returns whether it was saved.
   */
  async save(ownerId: string, id: string, list: RunExchangesDto, gz: Buffer): Promise<boolean> {
    // The lock makes a deletion of the run wait, so that it deletes this row too.
    const rows = await this.dataSource.query<unknown[]>(
      `INSERT INTO run_evidence (execution_id, list, gz)
       SELECT e.id, $3, $4
       FROM executions e JOIN users u ON u.id = e.owner_id
         CROSS JOIN LATERAL (SELECT quota_limit(u, 'echo_bytes_per_day', $5) AS most) q
         LEFT JOIN daily_saved_bytes d ON d.owner_id = e.owner_id AND d.day = utc_today()
       WHERE e.id = $1 AND e.owner_id = $2 AND (q.most = 0 OR COALESCE(d.bytes, 0) < q.most)
       FOR KEY SHARE OF e
       ON CONFLICT (execution_id) DO NOTHING RETURNING 1`,
      [id, ownerId, JSON.stringify(list), gz, this.quotas.defaultOf('echo_bytes_per_day')],
    );
    return rows.length > 0;
  }

  /** Returns undefined if the account has no such run; null if Trawl kept nothing of it. */
  async list(ownerId: string, id: string): Promise<RunExchangesDto | null | undefined> {
    const [row] = await this.dataSource.query<{ list: RunExchangesDto | null }[]>(
      `SELECT v.list FROM executions e LEFT JOIN run_evidence v ON v.execution_id = e.id
       WHERE e.id = $1 AND e.owner_id = $2`,
      [id, ownerId],
    );
    return row?.list;
  }

  /** Returns undefined if the account has no such run; null if Trawl kept nothing of it. */
  async bytes(ownerId: string, id: string): Promise<Buffer | null | undefined> {
    const [row] = await this.dataSource.query<{ gz: Buffer | null }[]>(
      `SELECT v.gz FROM executions e LEFT JOIN run_evidence v ON v.execution_id = e.id
       WHERE e.id = $1 AND e.owner_id = $2`,
      [id, ownerId],
    );
    return row?.gz;
  }

  async deleteWithoutRuns(): Promise<void> {
    await this.dataSource.query(
      'DELETE FROM run_evidence v WHERE NOT EXISTS (SELECT FROM executions e WHERE e.id = v.execution_id)',
    );
  }
}
