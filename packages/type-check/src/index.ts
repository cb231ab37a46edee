/** The version of TypeScript that checks skripts, which is also the one with an API. */
export { default as ts } from 'typescript';
export * from './code-questions.js';
export { CodeService } from './code-service.js';
export { type FilesOnDisk, type LibraryTypes, NO_LIBRARIES } from './library-files.js';
export { PACKS, type PackName, type TypePack } from './type-packs.js';
