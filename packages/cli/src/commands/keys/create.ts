import { unwrap } from '@trawl/client';
import { KEY_SCOPES, type KeyScope } from '@trawl/contracts';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { localTime } from '../../terminal/local-time.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

export interface CreateOptions {
  scope?: string;
  /** A date, or a number of days such as `90d`. */
  expires?: string;
  dryRun?: boolean;
}

/** Creates an API key and prints it. The platform never shows it again. */
export default async function create(
  name: string,
  { scope = 'run', expires, dryRun }: CreateOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  if (!KEY_SCOPES.includes(scope as KeyScope)) {
    throw new Failure(`--scope must be ${KEY_SCOPES.join(', ')}; you gave ${JSON.stringify(scope)}.`, EXIT.usage);
  }
  const expires_at = expires === undefined ? null : timeOf(expires);
  const until = expires_at === null ? 'never expires' : `expires at ${localTime(expires_at)}`;
  const trawl = await connect(context);
  if (dryRun) return output.planned(`create the API key ${name} with the scope ${scope}, which ${until}`);
  const created = await unwrap(
    trawl.api.POST('/joint-api/keys/addnew', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: { name, scope: scope as KeyScope, expires_at },
    }),
  );
  output.note(
    `Created ${created.name} with the scope ${scope}. It ${until}. Store the key now: Trawl never shows it again.`,
  );
  output.result(created, created.key);
}

function timeOf(expires: string): string {
  const [, days] = /^([1-9]\d{0,4})d$/.exec(expires) ?? [];
  const time = days === undefined ? Date.parse(expires) : Date.now() + Number(days) * DAY_MS;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new Failure(
    `--expires must be a date such as 2030-01-31, or a number of days such as 90d; you gave ${JSON.stringify(expires)}.`,
    EXIT.usage,
  );
}
