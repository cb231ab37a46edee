import { shellQuoted } from '../../components/values/shell-quoted.js';
import { type RunRequest, valuesOf } from './start-call.js';

/** Stands for the typed input secret, which no command shows. */
const HIDDEN = '…';

/** Returns the commands that make the same start from outside the panel. Both read the token from the environment. */
export function commandsOf(request: RunRequest, origin: string): { curl: string; javascript: string } {
  const { worker_ids: workerIds, force, record, limits = {} } = request;
  const [workerId = 'any'] = workerIds;
  const isMulti = workerIds.length > 1;
  const query = new URLSearchParams({
    ...(force && { force: 'true' }),
    ...(record && { record: 'true' }),
    ...Object.fromEntries(
      Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ),
  }).toString();
  const address = `${origin}/joint-api/execute-skript/${isMulti ? 'multi' : 'single'}-worker/start${query && `?${query}`}`;
  const { skript_id, ...values } = valuesOf(request);
  const body = JSON.stringify(
    {
      skript_id,
      ...(isMulti ? { worker_ids: workerIds } : { worker_id: workerId }),
      ...values,
      ...('inputSecret' in values && values.inputSecret !== undefined && { inputSecret: HIDDEN }),
    },
    null,
    2,
  );
  return {
    curl: [
      `curl -X POST ${shellQuoted(address)}`,
      '-H "Authorization: Bearer $TRAWL_TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d ${shellQuoted(body)}`,
    ].join(' \\\n  '),
    javascript: `const response = await fetch(${JSON.stringify(address)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TRAWL_TOKEN}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error_message);
console.dir(answer, { depth: null });`,
  };
}
