import type { TestApp } from '../test-app.js';

/** Adds a queue with a failed request, as if a run had filled it, and returns its id. */
export async function makeQueue(app: TestApp, ownerId: string, name: string): Promise<string> {
  const [queue] = await app.sql<{ id: string }>(
    `WITH queue AS (INSERT INTO queues (id, owner_id, name, failed, bytes) VALUES (gen_random_uuid(), $1, $2, 1, 300) RETURNING id, key),
       host AS (INSERT INTO queue_hosts (queue, id, name, failed) SELECT key, 1, $2 || '.example', 1 FROM queue RETURNING id, queue),
       request AS (INSERT INTO queue_requests (rank, fingerprint, queue, host, state, url, error)
         SELECT 1, gen_random_uuid(), queue, id, 'f', 'https://' || $2 || '.example/', $2 FROM host)
     SELECT id FROM queue`,
    [ownerId, name],
  );
  return String(queue?.id);
}
