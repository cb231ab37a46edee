import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { commandsOf } from './src/features/execute-skript/commands.js';
import type { RunRequest } from './src/features/execute-skript/start-call.js';

const WORKERS = ['worker-1', 'worker-2'];
const request: RunRequest = {
  skript_id: 'skript-1',
  worker_ids: WORKERS,
  force: false,
  input: { from: 'typed', input: { name: "O'Brien `x` $HOME" }, inputSecret: 'hidden from others' },
};

/** Executes the code with this answer of the platform. Returns the body that it sent and the text that it printed. */
async function execute(code: string, answer: unknown): Promise<{ body: unknown; printed: string }> {
  let body: unknown;
  let printed = '';
  const output = new Writable({
    write: (chunk, _, done) => {
      printed += chunk;
      done();
    },
  });
  const fetch = async (_: string, init: RequestInit) => {
    body = JSON.parse(String(init.body));
    return Response.json(answer);
  };
  const run = new Function('fetch', 'console', `return (async () => {${code}})();`);
  await run(fetch, new Console(output));
  return { body, printed };
}

it('the JavaScript shown for a start on several workers starts all of them and prints each output', async () => {
  const results = WORKERS.map(worker_id => ({ worker_id, execution: { output: { of: { the: worker_id } } } }));
  const { javascript } = commandsOf(request, 'https://trawl.example.com');
  const { body, printed } = await execute(javascript, { results });
  expect(body).toEqual({
    skript_id: 'skript-1',
    worker_ids: WORKERS,
    input: { name: "O'Brien `x` $HOME" },
    inputSecret: '…',
  });
  for (const worker of WORKERS) expect(printed).toContain(`{ the: '${worker}' }`);
});
