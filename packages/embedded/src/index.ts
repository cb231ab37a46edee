export { cacheDir } from './cache-dir.js';
export { type PlacedDataDir, placeDataDir } from './data-dir.js';
export { sourceOf } from './debian/newer-release.js';
export { CappedLog } from './host/capped-log.js';
export { type EmbeddedDatabases, type EmbeddedOptions, findEmbedded, startEmbedded } from './start-embedded.js';
export { findUserPostgres, startUserPostgres } from './start-user-postgres.js';
export { postgresUser } from './system/engine-user.js';
