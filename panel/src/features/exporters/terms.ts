import type { Export } from '../../api/entities.js';

export const FORMATS: Record<Export['format'], string> = {
  csv: 'CSV',
  xlsx: 'Excel (XLSX)',
  json: 'JSON',
  ndjson: 'NDJSON, a document a line',
  extjson: 'Extended JSON, keeps all types',
  parquet: 'Parquet',
};

export const SOURCES: Record<Export['source'], string> = {
  collection: 'Collection',
  run: 'Rows of a run',
  changes: 'Changes of a run',
  table: 'PostgreSQL table',
  query: 'SQL query',
};

/** Whether the source needs a run. */
export const isOfRun = (source: Export['source']): boolean => source === 'run' || source === 'changes';

const DESTINATIONS = { s3: 'S3', webhook: 'posted to', email: 'e-mailed to' } as const;

export const destinationWords = (destination: Export['destination']): string =>
  destination ? `${DESTINATIONS[destination.type]} ${destination.target}` : 'kept here';

export const isOpen = ({ state }: { state: string }): boolean => state === 'queued' || state === 'running';
