/** The version of TypeScript that checks skripts, which is also the one with an API. */
export { default as ts } from 'typescript';
export * from './code-questions.js';
export { CodeService, type FilesOnDisk } from './code-service.js';
export { PACKS, type PackName, type TypePack } from './type-packs.js';
