/** The parts of an OpenAPI document that hold the names. */
interface OpenApiDocument {
  paths: Record<string, Record<string, { operationId?: string; summary?: string }>>;
}

/** GET routes that the audit log records. It records the other methods; aggregations are only in its older entries. */
const RECORDED_GETS = /^\/joint-api\/(execute-skript\/|account\/archive$|sessions\/.*\/export$)/;

/** Operations of the audit log that are no routes. */
const OWN_NAMES = { deleteExpiredAccount: 'Delete an expired account', useSiteSession: 'Use a session in a run' };

/** Returns the operations that the audit log may contain, with a name in plain words for each. */
export function operationNames({ paths }: OpenApiDocument): Map<string, string> {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'get' || RECORDED_GETS.test(path))
      .flatMap(([, { operationId: id, summary = id }]) => (id && summary ? [[id, summary] as const] : [])),
  );
  return new Map([...routes, ...Object.entries(OWN_NAMES)]);
}

/** Operations whose fields have names that users chose. */
export const FREE_FIELDS: ReadonlySet<string> = new Set(['createMongoDocument', 'updateMongoDocument']);

const FIELDS: Record<string, string> = {
  bom: 'byte order mark',
  company_vat: 'company VAT number',
  cron_span: 'cron expression',
  db_id: 'database',
  email: 'e-mail',
  email_events: 'e-mails',
  howto: 'how-to',
  id: 'ID',
  ids: 'IDs',
  ip: 'IP address',
  msg: 'message',
  sql: 'SQL',
  url: 'URL',
  val: 'value',
};

/** Returns a field of an operation in plain words, such as "skript" for `skript_id`. */
export function fieldName(action: string, field: string): string {
  if (FREE_FIELDS.has(action)) return field;
  const noun = field.replace(/(?<=_id)s$/, '').replace(/_(id|ms|s)$/, '');
  return FIELDS[field] ?? `${words(noun)}${field.endsWith('_ids') ? 's' : ''}`;
}

const words = (name: string): string => name.replaceAll(/_|(?=[A-Z])/g, ' ').toLowerCase();

const KINDS: Record<string, string> = {
  apiKey: 'API key',
  db: 'database',
  doc: 'document',
  hash: 'skript version',
  index_name: 'index',
  key: 'API key',
  mongoDatabase: 'database',
  siteSession: 'session',
  skriptExecution: 'run',
  skriptExecutions: 'runs',
};

/** Returns the kind of a resource in plain words. */
export const kindName = (kind: string): string => KINDS[kind] ?? words(kind);
