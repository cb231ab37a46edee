import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { parseJson } from '../../skript-folder/manifest.js';
import { INPUT_SECRET } from '../../skript-folder/names.js';
import { listSecrets, putSecret } from '../../skript-folder/send-changes.js';
import { askSecret } from '../../terminal/ask.js';
import { readStdin } from '../../terminal/read-stdin.js';

/** Stores an input secret. Its value comes from stdin or a question, never from an argument, which others can see. */
export default async function set(
  name: string,
  { skript, dryRun }: { skript?: string; dryRun?: boolean },
  context: Context,
): Promise<void> {
  if (!INPUT_SECRET.test(name)) {
    throw new Failure(
      `An input secret has a name such as inputSecret.json; you gave ${JSON.stringify(name)}.`,
      EXIT.usage,
    );
  }
  const trawl = await connect(context);
  const skriptId = await trawl.skriptId(await skriptOrCurrent(skript));
  if (dryRun) {
    const isThere = (await listSecrets(trawl, skriptId)).some(secret => secret.name === name);
    return context.output.planned(`${isThere ? 'replace' : 'store'} ${name} on the platform`);
  }
  const question = `Value of ${name}, as JSON`;
  const text = process.stdin.isTTY ? await askSecret(question, 'Send it to stdin.') : await readStdin();
  const { id } = await putSecret(trawl, skriptId, name, parseJson(text, `The value of ${name}`));
  context.output.result({ id, name }, `Stored ${name}`);
}
