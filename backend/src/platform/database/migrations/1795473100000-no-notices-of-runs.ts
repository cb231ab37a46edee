import type { MigrationInterface, QueryRunner } from 'typeorm';

const ALWAYS = ' SELECT record_notices(owners, events, data);';
/** An end of a run never makes a notice, and PostgreSQL plans the statements of a function that it calls. */
const UNLESS_RUNS = ` SELECT record_notices(owners, events, data) WHERE EXISTS (SELECT FROM unnest(events) event WHERE event NOT LIKE 'run.%');`;

/** `record_events` looks for notices only if an event can make one. */
export class NoNoticesOfRuns1795473100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await this.#changeRecordEvents(queryRunner, ALWAYS, UNLESS_RUNS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await this.#changeRecordEvents(queryRunner, UNLESS_RUNS, ALWAYS);
  }

  /** Creates the function again with another statement, so that it keeps what earlier migrations gave it. */
  async #changeRecordEvents(queryRunner: QueryRunner, from: string, to: string): Promise<void> {
    const [{ body }] = await queryRunner.query(
      `SELECT prosrc AS body FROM pg_proc WHERE oid = 'record_events(uuid[], text[], json[])'::regprocedure`,
    );
    await queryRunner.query(
      `CREATE OR REPLACE FUNCTION record_events(owners uuid[], events text[], data json[]) RETURNS void LANGUAGE sql
       AS $body$${body.replace(from, to)}$body$`,
    );
  }
}
