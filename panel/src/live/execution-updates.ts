import type { ExecutionUpdate } from '@trawl/contracts';
import type { Execution, Listed } from '../api/entities.js';

/** Returns the execution with the update applied. Returns it unchanged if the update is older or for another run. */
export function withUpdate(execution: Execution, update: ExecutionUpdate): Execution {
  if (execution.id !== update.id || update.updated_at < execution.updated_at) return execution;
  const { action, waiting_for, error_code, updated_at } = update;
  return { ...execution, action, waiting_for, error_code: error_code as Execution['error_code'], updated_at };
}

/** Returns the list with the update applied, or null if the run is not in the list. */
export function listWithUpdate(list: Listed<Execution>, update: ExecutionUpdate): Listed<Execution> | null {
  if (!list.items.some(item => item.id === update.id)) return null;
  return { ...list, items: list.items.map(item => withUpdate(item, update)) };
}
