// The libraries are CommonJS. An `import()` of them would have no named exports in the bundle.
export { documentsOf, insertedBy, insertedRow, localPortIn, memoryPort } from '@trawl/storage/local';
export { LocalPostgres } from '@trawl/storage/local-postgres';
