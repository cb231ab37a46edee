import { api, unwrap } from './client.js';
import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET, defaultInputId } from './default-input.js';

/** Starts a skript on any worker, with its default input and input secret. Does not wait for the end of the run. */
export async function startSkript(skriptId: string) {
  const query = { skript_id: skriptId, sort: 'name', limit: 1_000 };
  const [inputs, secrets] = await Promise.all([
    unwrap(api.GET('/joint-api/inputs/list', { params: { query } })),
    unwrap(api.GET('/joint-api/input-secrets/list', { params: { query } })),
  ]);
  const input_id = defaultInputId(inputs.items, DEFAULT_INPUT);
  const inputSecret_id = defaultInputId(secrets.items, DEFAULT_INPUT_SECRET);
  return unwrap(
    api.POST('/joint-api/execute-skript/single-worker/start', {
      params: { query: { wait_ms: 0 } },
      body: {
        skript_id: skriptId,
        worker_id: 'any',
        ...(input_id && { input_id }),
        ...(inputSecret_id && { inputSecret_id }),
      },
    }),
  );
}
