import type { MigrationInterface, QueryRunner } from 'typeorm';
import { changeSql } from '../change-sql.js';
import { planInOneWay } from './1795503100000-requests-left-by-runs.js';
import { COUNT_HOSTS as EARLIER_COUNT_HOSTS } from './1795508000000-ids-of-queue-hosts.js';

/**
 * Looks up each host that it counts. PostgreSQL, which does not know how many hosts a new queue has, could instead compare
 * each host of the queue with each of the call: 2 s for 1,000 requests of a queue with 10,000 hosts.
 */
export class CountsOfManyHosts1795510140000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(COUNT_HOSTS);
    await planInOneWay(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(changeSql(EARLIER_COUNT_HOSTS, [AGAIN]));
    await planInOneWay(queryRunner);
  }
}

const AGAIN: [string, string] = ['CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'];

const COUNT_HOSTS = changeSql(EARLIER_COUNT_HOSTS, [
  AGAIN,
  [
    'FROM (SELECT host, sum(w)',
    `FROM (SELECT (SELECT k.ctid FROM queue_hosts k WHERE k.queue = of_queue AND k.id = u.host) AS found, sum(w)`,
  ],
  ['GROUP BY host) m', 'GROUP BY u.host) m'],
  ['WHERE h.queue = of_queue AND h.id = m.host', 'WHERE h.ctid = m.found'],
]);
