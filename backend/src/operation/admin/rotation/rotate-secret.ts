import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Config, PREVIOUS_SECRET_FILE } from '../../../platform/common/config.js';
import { SecretBox, secretDigest } from '../../../platform/common/secret-box.service.js';
import { AdminError } from '../admin-error.js';
import { connect, migrationsOf, refuseOtherSchema } from '../schema.js';
import { openPlatform } from '../settings.js';
import { note, print, withProgress } from '../terminal.js';
import { prepareSecret } from './prepare-secret.js';
import { reseal } from './reseal.js';
import { SEALED_VALUES } from './sealed-values.js';

/** A backend that is silent for longer has ended. */
const SILENT_AFTER = '15 s';
const LOOK_AGAIN_MS = 500;
/** A statement of a backend may take 30 s, so it may still write with the previous secret for that long. */
const SETTLE_MS = 30_000;

/** `trawl-admin rotate-secret` */
export default async function rotate(options: { prepare?: true }): Promise<number> {
  if (options.prepare) {
    prepareSecret();
    return 0;
  }
  const platform = await openPlatform();
  try {
    return await rotateSecret(platform.config);
  } finally {
    await platform.close();
  }
}

/**
 * Encrypts everything with the new secret while backends run. It can be killed at any time and called again: the rows say
 * which secret they need, and the rotation ends only after a pass that found none under the previous one.
 * @returns the exit code: 1 if some values could not be decrypted.
 */
export async function rotateSecret(
  { postgresUrl, secret, previousSecret }: Pick<Config, 'postgresUrl' | 'secret' | 'previousSecret'>,
  settleMs = SETTLE_MS,
): Promise<number> {
  if (previousSecret === undefined) {
    throw new AdminError(
      'There is no previous secret: set TRAWL_SECRET to the new one and TRAWL_SECRET_PREVIOUS to the one before, for all backends. To begin: trawl-admin rotate-secret --prepare',
    );
  }
  const digests = { current: secretDigest(secret), previous: secretDigest(previousSecret) };
  const client = await connect(postgresUrl);
  const reader = await connect(postgresUrl);
  try {
    refuseOtherSchema(await migrationsOf(client));
    await begin(client, digests);
    await withProgress(() => 'Waiting until all backends use the new secret', untilFollowed(client, digests.current));
    const box = new SecretBox({ secret, previousSecret });
    let left = await pass(reader, client, box);
    print(`Encrypted ${left.resealed} values with the new secret.`);
    // A call that began before may still write with the previous secret.
    await withProgress(() => 'Waiting until earlier calls have ended', delay(settleMs));
    do left = await pass(reader, client, box);
    while (left.resealed > 0);
    await client.query('UPDATE platform_secret SET previous_digest = NULL WHERE digest = $1', [digests.current]);
    print('Checked: nothing is encrypted with the previous secret any more.');
    if (left.unreadable > 0) note(unreadable(left.unreadable));
    await printNextStep(client);
    return left.unreadable > 0 ? 1 : 0;
  } finally {
    await reader.end();
    await client.end();
  }
}

/** Makes the new secret the one in use, unless an earlier call has. @throws {AdminError} if a backend would not know it. */
async function begin(client: Client, digests: { current: Buffer; previous: Buffer }): Promise<void> {
  const { rows } = await client.query<{ digest: Buffer }>('SELECT digest FROM platform_secret');
  const inUse = rows[0]?.digest;
  if (!inUse) throw new AdminError('No backend has used this database yet, so there is nothing to rotate.');
  const { rows: behind } = await client.query(
    `SELECT 1 FROM backends WHERE seen_at > now() - interval '${SILENT_AFTER}' AND NOT ($1 = ANY (secrets) AND $2 = ANY (secrets))`,
    [digests.current, digests.previous],
  );
  if (behind.length > 0) {
    throw new AdminError(
      `${behind.length === 1 ? 'A running backend does' : `${behind.length} running backends do`} not have both secrets. ` +
        'Set TRAWL_SECRET and TRAWL_SECRET_PREVIOUS for all backends, and restart them one after the other. Nothing was changed.',
    );
  }
  if (inUse.equals(digests.current)) return;
  if (!inUse.equals(digests.previous)) {
    throw new AdminError(
      'Neither TRAWL_SECRET nor TRAWL_SECRET_PREVIOUS is the secret of this database. Nothing was changed.',
    );
  }
  await client.query(
    'UPDATE platform_secret SET digest = $1, previous_digest = $2, rotated_at = now() WHERE digest = $2',
    [digests.current, digests.previous],
  );
}

async function untilFollowed(client: Client, current: Buffer): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `SELECT 1 FROM backends WHERE seen_at > now() - interval '${SILENT_AFTER}' AND secrets[1] <> $1 LIMIT 1`,
      [current],
    );
    if (rows.length === 0) return;
    await delay(LOOK_AGAIN_MS);
  }
}

async function pass(reader: Client, writer: Client, box: SecretBox): Promise<{ resealed: number; unreadable: number }> {
  const sum = { resealed: 0, unreadable: 0 };
  for (const values of SEALED_VALUES) {
    const work = reseal(reader, writer, values, box);
    const { resealed, unreadable } = await withProgress(() => `Encrypting ${values.name}`, work);
    sum.resealed += resealed;
    sum.unreadable += unreadable;
  }
  return sum;
}

const unreadable = (count: number): string =>
  `${count} values can be decrypted with neither secret. They were so before; their owners must enter them again.`;

/** Runs have a token that the previous secret has signed; without that secret, their storage calls would fail. */
async function printNextStep(client: Client): Promise<void> {
  const { rows } = await client.query<{ runs: number }>(
    `SELECT count(*)::int AS runs FROM live_runs r JOIN executions e ON e.id = r.execution_id
     WHERE e.started_at < (SELECT rotated_at FROM platform_secret) + interval '${SILENT_AFTER}'`,
  );
  const runs = rows[0]?.runs ?? 0;
  const wait =
    runs === 0
      ? 'No earlier run needs the previous secret.'
      : `${runs === 1 ? '1 earlier run needs' : `${runs} earlier runs need`} the previous secret. Wait until all have ended.`;
  print(
    `${wait} To finish, remove TRAWL_SECRET_PREVIOUS, or the file ${PREVIOUS_SECRET_FILE} in the data folder, and restart the backends. ` +
      'Users who signed in before must then sign in again.',
  );
}
