/** Where rows hold values that `SecretBox` has encrypted. A unit test compares this list with the callers of `seal`. */
export interface SealedValues {
  name: string;
  /** SQL of a query that returns each value with the key of its row and the id to which the encryption is bound. */
  read: string;
  /** SQL that replaces a value, $2, by another, $3, in the row with the key $1. It changes nothing if the value is another one. */
  write: string;
}

const IS_UNCHANGED = '= $2';
/** A base64 text in JSON is unique, so that replacing it in the text keeps the order of all fields. */
const REPLACED_JSON = `replace(params::text, ${base64('$2')}, ${base64('$3')})::json`;

/** PostgreSQL breaks the lines of base64. */
function base64(value: string): string {
  return `translate(encode(${value}::bytea, 'base64'), E'\\n', '')`;
}

const column = (table: string, key: string, name: string, rowId = key): SealedValues => ({
  name: `${table}.${name}`,
  read: `SELECT ${key}::text AS key, (${rowId})::text AS row_id, ${name} AS sealed FROM ${table} WHERE ${name} IS NOT NULL`,
  write: `UPDATE ${table} SET ${name} = $3 WHERE ${key} = $1::uuid AND ${name} ${IS_UNCHANGED}`,
});

/** The destination in the parameters of an export or exporter. */
const destination = (table: string): SealedValues => ({
  name: `${table}.params`,
  read: `SELECT id::text AS key, owner_id::text AS row_id, decode(params #>> '{destination,sealed}', 'base64') AS sealed
    FROM ${table} WHERE params #>> '{destination,sealed}' IS NOT NULL`,
  write: `UPDATE ${table} SET params = ${REPLACED_JSON}
    WHERE id = $1::uuid AND decode(params #>> '{destination,sealed}', 'base64') ${IS_UNCHANGED}`,
});

export const SEALED_VALUES: SealedValues[] = [
  column('input_secrets', 'id', 'val_sealed'),
  column('site_sessions', 'id', 'value_sealed'),
  column('proxies', 'id', 'url_sealed'),
  column('webhook_endpoints', 'id', 'secret'),
  column('webhook_endpoints', 'id', 'previous_secret'),
  column('outgoing_mails', 'id', 'message'),
  {
    name: 'idempotency_keys.answer_sealed',
    read: `SELECT owner_id || ' ' || key AS key, owner_id || ' ' || key AS row_id, answer_sealed AS sealed
      FROM idempotency_keys WHERE answer_sealed IS NOT NULL`,
    write: `UPDATE idempotency_keys SET answer_sealed = $3
      WHERE owner_id = left($1, 36)::uuid AND key = substr($1, 38) AND answer_sealed ${IS_UNCHANGED}`,
  },
  destination('exporters'),
  destination('jobs'),
  // After the other tables, because a retry copies the value of a run to a new row.
  column('live_runs', 'execution_id', 'payload', 'COALESCE(sealed_for, execution_id)'),
  {
    name: 'live_runs.answers',
    read: `SELECT execution_id || ' ' || a.key AS key, a.key AS row_id, decode(a.value ->> 'sealed', 'base64') AS sealed
      FROM live_runs, jsonb_each(answers) AS a WHERE answers IS NOT NULL`,
    write: `UPDATE live_runs
      SET answers = jsonb_set(answers, ARRAY[substr($1, 38), 'sealed'], to_jsonb(${base64('$3')}))
      WHERE execution_id = left($1, 36)::uuid AND decode(answers -> substr($1, 38) ->> 'sealed', 'base64') ${IS_UNCHANGED}`,
  },
];
