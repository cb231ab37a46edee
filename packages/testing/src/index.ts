import { installMemoryStorage } from './memory-storage.js';

export { clearStorage } from './memory-storage.js';
export { type Echo, type Question, type RunOptions, type RunResult, runSkript } from './run-skript.js';
export { type Page, type PageServer, type Pages, type ServedRequest, servePages } from './serve-pages.js';

installMemoryStorage();
