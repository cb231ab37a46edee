export { adaptApify } from './adapt-apify.js';
export { adaptCrawlee, finishCrawlee, statusOf } from './adapt-crawlee.js';
export type { CrawleeRun } from './run.js';
export { TrawlStorageClient } from './storage-client.js';
