import { Injectable } from '@nestjs/common';
import type { ChangeKind, MergeState } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import type { ItemFigures } from './item-figures.js';
import type { ItemsMedianDto } from './items.dto.js';

export type ChangeCounts = Record<ChangeKind, number>;

const MAX_POINTS = 500;
/** After so many attempts that fail without an outage, a merge is given up, so that it does not block later ones. */
const MAX_FAILED_ATTEMPTS = 5;

/** A run whose rows are to become items. */
export interface DueMerge {
  execution_id: string;
  skript_id: string;
  skript_name: string;
  owner_id: string;
  first_id: string;
  input_key: string;
  ended_at: Date;
  /** Whether a run with the same input that started later was merged before. */
  is_older: boolean;
}

/** Statements of the table `run_merges`, except those by which a run gets its row: see `verdicts.repository.ts`. */
@Injectable()
export class MergesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns whether the user owns the skript. */
  async ownsSkript(ownerId: string, skriptId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 AND owner_id = $2', [
      skriptId,
      ownerId,
    ]);
    return rows.length > 0;
  }

  /** Returns the state of a run's merge, why it failed, and the numbers of its changes. */
  async stateOf(executionId: string): Promise<{ state: MergeState; reason: string | null; counts: ChangeCounts }> {
    const [row] = await this.dataSource.query<(ChangeCounts & { state: string; reason: string | null })[]>(
      'SELECT state, reason, added, changed, gone, back FROM run_merges WHERE execution_id = $1',
      [executionId],
    );
    const { state = 'none', reason = null, added = 0, changed = 0, gone = 0, back = 0 } = row ?? {};
    const counts = { added, changed, gone, back };
    return { state: state === 'due' ? 'waiting' : (state as MergeState), reason, counts };
  }

  /** Returns the figures of a field after the newest merged runs of a skript, the oldest first. */
  async figuresOf(skriptId: string, field: string): Promise<ItemsMedianDto['points']> {
    const rows = await this.dataSource.query<{ execution_id: string; at: Date; numbers: [number, number, number] }[]>(
      `SELECT execution_id, ended_at AS at, figures->$2 AS numbers
       FROM (SELECT * FROM run_merges WHERE skript_id = $1 AND state = 'merged' ORDER BY execution_id DESC LIMIT ${MAX_POINTS}) m
       WHERE figures->$2 IS NOT NULL ORDER BY execution_id`,
      [skriptId, field],
    );
    return rows.map(({ execution_id, at, numbers: [low, median, high] }) => ({
      execution_id,
      at: at.toISOString(),
      median,
      low,
      high,
    }));
  }

  /** Returns the fields with numbers of the items, after the newest merged run of a skript. */
  async numberFieldsOf(skriptId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ field: string }[]>(
      `SELECT json_object_keys(figures) AS field FROM (
         SELECT figures FROM run_merges WHERE skript_id = $1 AND state = 'merged' AND figures IS NOT NULL
         ORDER BY execution_id DESC LIMIT 1) newest`,
      [skriptId],
    );
    return rows.map(({ field }) => field);
  }

  /**
   * Returns the run of a skript to merge next: one whose merge was interrupted, then the oldest. Undefined if there is none.
   */
  async nextDue(skriptId: string): Promise<DueMerge | undefined> {
    const [rows] = await this.dataSource.query<[DueMerge[], number]>(
      `UPDATE run_merges m SET started_at = coalesce(m.started_at, now())
       FROM skripts s
       WHERE s.id = m.skript_id AND m.execution_id = (SELECT execution_id FROM run_merges WHERE skript_id = $1 AND state = 'due'
         ORDER BY started_at, execution_id LIMIT 1)
       RETURNING m.execution_id, m.skript_id, s.title AS skript_name, s.owner_id, m.first_id, m.input_key, m.ended_at,
         EXISTS (SELECT FROM run_merges o WHERE o.skript_id = m.skript_id AND o.state = 'merged'
           AND o.execution_id > m.execution_id AND o.input_key = m.input_key) AS is_older`,
      [skriptId],
    );
    return rows[0];
  }

  /** Ends a merge, once: `also` writes more in the same transaction. */
  async end(
    executionId: string,
    state: 'merged' | 'older',
    { counts, figures }: { counts: ChangeCounts; figures: ItemFigures | null },
    also: (manager: EntityManager) => Promise<void> = async () => {},
  ): Promise<void> {
    await this.dataSource.transaction(async manager => {
      const [, ended] = await manager.query<[unknown, number]>(
        `UPDATE run_merges SET state = $2, added = $3, changed = $4, gone = $5, back = $6, figures = $7
         WHERE execution_id = $1 AND state = 'due'`,
        [
          executionId,
          state,
          counts.added,
          counts.changed,
          counts.gone,
          counts.back,
          figures && JSON.stringify(figures),
        ],
      );
      if (ended > 0) await also(manager);
    });
  }

  /** Counts an attempt that failed. Returns whether it was the last, so that the state is now `failed`. */
  async fail(executionId: string, reason: string): Promise<boolean> {
    const [rows] = await this.dataSource.query<[{ state: string }[], number]>(
      `UPDATE run_merges SET failed_attempts = failed_attempts + 1,
         state = CASE WHEN failed_attempts + 1 < $3 THEN state ELSE 'failed' END,
         reason = CASE WHEN failed_attempts + 1 < $3 THEN reason ELSE $2 END
       WHERE execution_id = $1 AND state = 'due' RETURNING state`,
      [executionId, reason, MAX_FAILED_ATTEMPTS],
    );
    return rows[0]?.state === 'failed';
  }

  /** Deletes the merge of a run that has no rows with a key. */
  async delete(executionId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM run_merges WHERE execution_id = $1', [executionId]);
  }

  /** Deletes the merges of deleted runs and skripts. */
  async deleteWithoutRuns(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM run_merges m WHERE NOT EXISTS (SELECT FROM executions e WHERE e.id = m.execution_id)
        OR NOT EXISTS (SELECT FROM skripts s WHERE s.id = m.skript_id)`,
    );
  }
}
