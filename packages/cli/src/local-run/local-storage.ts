// The libraries are CommonJS. An `import()` of them would have no named exports in the bundle.
export { argumentsOf, documentsOf, insertedRow, localPortIn, memoryPort } from '@trawl/storage/local';
export { LocalPostgres } from '@trawl/storage/local-postgres';
