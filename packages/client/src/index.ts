export type { Api } from './api.js';
export type * from './entities.js';
export { type ErrorCode, RunError, TrawlError, unwrap } from './errors.js';
export { isEnded, Run } from './run.js';
export type { components, operations, paths } from './schema.js';
export { Trawl, type TrawlOptions } from './trawl.js';
