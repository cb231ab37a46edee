import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The table keeps totals for each run and proxy. `id` is the id of the proxy. `pool` and `address` are copies, because the
 * figures of a run stay when you delete the proxy. The retention deletes a partition together with that of `executions`.
 * Only backends of the previous version use `executions.proxy_reports`.
 */
export class ProxiesOfRuns1795510100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE execution_proxies (
        execution_id uuid NOT NULL,
        id uuid NOT NULL,
        pool text NOT NULL,
        address text NOT NULL,
        connections bigint NOT NULL,
        failures bigint NOT NULL,
        bytes_sent bigint NOT NULL,
        bytes_received bigint NOT NULL,
        cost double precision,
        PRIMARY KEY (execution_id, id)
      ) PARTITION BY RANGE (execution_id);
      DO $$
      DECLARE month record;
      BEGIN
        FOR month IN SELECT substr(c.relname, length('executions') + 1) AS suffix, pg_get_expr(c.relpartbound, c.oid) AS bounds
          FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'executions'::regclass
        LOOP
          EXECUTE format('CREATE TABLE %I PARTITION OF execution_proxies %s', 'execution_proxies' || month.suffix, month.bounds);
        END LOOP;
      END $$;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE execution_proxies');
  }
}
