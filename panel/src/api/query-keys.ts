/** Prefixes of the query keys that several features share. */
export const QUERY_KEYS = {
  account: ['account'],
  dashboard: ['dashboard'],
  skripts: ['skripts'],
  executions: ['executions'],
  workers: ['workers'],
  users: ['users'],
  schedules: ['schedules'],
  proxyPools: ['proxy-pools'],
} as const;
