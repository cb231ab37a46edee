import type { MigrationInterface, QueryRunner } from 'typeorm';
import { COUNT_HOSTS as EARLIER_COUNT_HOSTS } from './1795489000000-queues.js';
import {
  ADD as EARLIER_ADD,
  GIVE_BACK as EARLIER_GIVE_BACK,
  SETTLE as EARLIER_SETTLE,
  TAKE as EARLIER_TAKE,
  planInOneWay,
} from './1795503100000-requests-left-by-runs.js';

/**
 * Hosts count from 1 in each queue. One account could use up integer ids that all queues share in two days, and wider ids
 * would add 12 MB to a million requests. The ids of queues and takers start again after the last one, because few of
 * them are in use at the same time.
 */
export class IdsOfQueueHosts1795508000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER SEQUENCE queue_keys CYCLE;
      CREATE SEQUENCE queue_taker_ids AS integer CYCLE;
      SELECT setval('queue_taker_ids', (SELECT coalesce(max(id), 0) + 1 FROM queue_takers));
      ${freeId('queue_free_key', 'queue_keys', 'queues', 'key')}
      ${freeId('queue_free_taker', 'queue_taker_ids', 'queue_takers', 'id')}
      ALTER TABLE queues ALTER key SET DEFAULT queue_free_key();
      ALTER TABLE queue_takers ALTER id DROP IDENTITY, ALTER id SET DEFAULT queue_free_taker();
      ALTER TABLE queue_hosts ALTER id DROP IDENTITY, DROP CONSTRAINT queue_hosts_pkey, ADD PRIMARY KEY (queue, id)`);
    await replaceFunctions(queryRunner, FUNCTIONS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceFunctions(queryRunner, EARLIER);
    // The earlier functions would take hosts of different queues for the same one.
    await queryRunner.query(`
      DELETE FROM queues;
      TRUNCATE queue_requests, queue_takers, queue_hosts;
      ALTER TABLE queue_hosts DROP CONSTRAINT queue_hosts_pkey, ADD PRIMARY KEY (id), ALTER id ADD GENERATED ALWAYS AS IDENTITY;
      ALTER TABLE queue_takers ALTER id DROP DEFAULT, ALTER id ADD GENERATED ALWAYS AS IDENTITY;
      ALTER TABLE queues ALTER key SET DEFAULT nextval('queue_keys');
      DROP FUNCTION queue_free_key, queue_free_taker;
      DROP SEQUENCE queue_taker_ids;
      ALTER SEQUENCE queue_keys NO CYCLE`);
  }
}

async function replaceFunctions(queryRunner: QueryRunner, definitions: string[]): Promise<void> {
  await queryRunner.query('DROP FUNCTION queue_count_hosts, queue_add, queue_give_back, queue_take, queue_settle');
  for (const definition of definitions) await queryRunner.query(definition);
  await planInOneWay(queryRunner);
}

/** SQL: a function that returns the next id of a sequence that no row has. */
const freeId = (name: string, sequence: string, table: string, column: string): string => `
  CREATE FUNCTION ${name}() RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    free integer;
  BEGIN
    LOOP
      free := nextval('${sequence}');
      EXIT WHEN NOT EXISTS (SELECT FROM ${table} WHERE ${column} = free);
    END LOOP;
    RETURN free;
  END $$;`;

const EARLIER = [EARLIER_COUNT_HOSTS, EARLIER_ADD, EARLIER_GIVE_BACK, EARLIER_TAKE, EARLIER_SETTLE];

const CALL = 'PERFORM queue_count_hosts(';
const withQueue = (definition: string): string => definition.replace(CALL, `${CALL}q, `);
export const TAKE = withQueue(EARLIER_TAKE);
export const ADD = EARLIER_ADD.replace(CALL, `${CALL}q.key, `)
  .replace('INSERT INTO queue_hosts (queue, name)', 'INSERT INTO queue_hosts (queue, id, name)')
  .replace(
    'SELECT q.key, s.host FROM',
    'SELECT q.key, (SELECT coalesce(max(id), 0) FROM queue_hosts WHERE queue = q.key) + row_number() OVER (), s.host FROM',
  );
export const COUNT_HOSTS = EARLIER_COUNT_HOSTS.replace(
  '(hosts integer[]',
  '(of_queue integer, hosts integer[]',
).replace('WHERE h.id = m.host', 'WHERE h.queue = of_queue AND h.id = m.host');
const FUNCTIONS = [COUNT_HOSTS, ADD, withQueue(EARLIER_GIVE_BACK), TAKE, withQueue(EARLIER_SETTLE)];
