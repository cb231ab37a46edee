/** The parts of an OpenAPI document that hold the names. */
interface OpenApiDocument {
  paths: Record<string, Record<string, { operationId?: string; summary?: string }>>;
}

/** GET routes that the audit log records. It records all other methods. */
const RECORDED_GETS = /^\/joint-api\/(execute-skript\/|account\/archive$)/;

/** Operations of the audit log that are no routes. */
const OWN_NAMES = { deleteExpiredAccount: 'Delete an expired account' };

/** Returns the operations that the audit log may contain, with a name in plain words for each. */
export function operationNames({ paths }: OpenApiDocument): Map<string, string> {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'get' || RECORDED_GETS.test(path))
      .flatMap(([, { operationId: id, summary = id }]) => (id && summary ? [[id, summary] as const] : [])),
  );
  return new Map([...routes, ...Object.entries(OWN_NAMES)]);
}

const KINDS: Record<string, string> = {
  apiKey: 'API key',
  db: 'database',
  doc: 'document',
  hash: 'skript version',
  index_name: 'index',
  key: 'API key',
  mongoDatabase: 'database',
  skriptExecution: 'run',
};

/** Returns the kind of a resource in plain words. */
export const kindName = (kind: string): string => KINDS[kind] ?? kind.replaceAll(/_|(?=[A-Z])/g, ' ').toLowerCase();
