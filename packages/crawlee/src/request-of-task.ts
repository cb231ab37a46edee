import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueueRequest } from '@trawl/storage';
import { RequestQueueClient } from './request-queues.js';

interface Pool {
  _maybeRunTask?(...args: unknown[]): unknown;
}

interface RequestQueue {
  client: unknown;
  fetchNextRequest?(): Promise<{ id?: string } | null>;
}

type Class<Instance> = { prototype: Instance } | undefined;

/** The parts of the module `@crawlee/core` by which tasks find their request. */
export interface TasksOfCrawlee {
  AutoscaledPool?: Class<Pool>;
  RequestQueueV1?: Class<RequestQueue>;
  RequestQueueV2?: Class<RequestQueue>;
}

/** A crawler fetches and handles each request in a task of its pool. */
const task = new AsyncLocalStorage<{ request?: QueueRequest }>();

/** The request of the queue that the calling code handles; undefined outside of handlers. */
export const requestOfTask = (): QueueRequest | undefined => task.getStore()?.request;

/** Makes each task of a crawler know the request that it fetches. */
export function followTasks({ AutoscaledPool, RequestQueueV1, RequestQueueV2 }: TasksOfCrawlee): void {
  const pool = AutoscaledPool?.prototype;
  const runTask = pool?._maybeRunTask;
  if (!pool || !runTask) return;
  pool._maybeRunTask = function (this: Pool, ...args) {
    return task.run({}, () => runTask.apply(this, args));
  };
  for (const queue of [RequestQueueV1?.prototype, RequestQueueV2?.prototype]) {
    const fetchNext = queue && Object.hasOwn(queue, 'fetchNextRequest') && queue.fetchNextRequest;
    if (!fetchNext) continue;
    queue.fetchNextRequest = async function (this: RequestQueue) {
      const request = await fetchNext.call(this);
      const current = task.getStore();
      if (current && this.client instanceof RequestQueueClient) current.request = this.client.taken(request?.id);
      return request;
    };
  }
}
