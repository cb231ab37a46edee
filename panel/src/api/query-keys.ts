/** First parts of the query keys that more than one section reads. */
export const QUERY_KEYS = {
  dashboard: ['dashboard'],
  skripts: ['skripts'],
  executions: ['executions'],
  workers: ['workers'],
  users: ['users'],
} as const;
