export { cacheDir } from './cache-dir.js';
export { CappedLog } from './capped-log.js';
export { type PlacedDataDir, placeDataDir } from './data-dir.js';
export { type EmbeddedDatabases, type EmbeddedOptions, startEmbedded } from './start-embedded.js';
