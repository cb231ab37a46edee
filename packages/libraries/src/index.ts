/**
 * Handles the npm libraries of skripts: it checks their versions, resolves their lock and installs it. It runs no code
 * of a library.
 */

export { chooseNode } from './choose-node.js';
export { DECLARATION_LIMITS, type Declarations } from './declarations/collect-declarations.js';
export * from './dependency-versions.js';
export * from './lock.js';
export {
  collectDeclarations,
  installLibraries,
  NpmError,
  type NpmOptions,
  npmRegistry,
  resolveLibraries,
  SLOW_MS,
} from './npm.js';
export { isTransient, type NpmFailure } from './npm-failure.js';
export { NpmTurns, type QueuePlace, type Turn, type TurnLimits } from './npm-turns.js';
export { makeTemporaryFolder, removeLeftFolders } from './temporary-folders.js';
export type { WriteLimits, Written } from './written-files.js';
