/** npm libraries of skripts: which there may be, their lock, and its installation. No code of a library is run here. */
export * from './lock.js';
export { installLibraries, NpmFailed, type NpmOptions, npmRegistry, resolveLibraries } from './npm.js';
export { mayPass, type NpmFailure } from './npm-failure.js';
export * from './wanted.js';
