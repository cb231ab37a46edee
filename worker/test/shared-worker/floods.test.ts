import { firstEcho } from '../run-processes.js';
import { platform } from './worker.js';

/** Returns a skript that writes the same bytes to the message pipe again and again. */
const onThePipe = (bytes: string) => `
  const fs = require('node:fs');
  const bytes = Buffer.from(${bytes});
  for (;;) fs.writeSync(4, bytes);`;

const FLOODS = {
  'what its child prints': `
    require('node:child_process').spawn('sh', ['-c', 'yes'], { stdio: 'inherit' });
    return new Promise(() => setInterval(() => {}, 1000));`,
  'a line without an end': onThePipe(`'x'.repeat(1_000_000)`),
  'empty lines': onThePipe(`'\\n'.repeat(1_000_000)`),
  'messages with more echoes than an honest runner sends': onThePipe(
    `'{"run":1,"t":"echoes","items":[' + '0,'.repeat(1_900_000) + '0]}\\n'`,
  ),
  'JSON without an end': onThePipe(`'['.repeat(4_000_000) + '\\n'`),
};

const RUNS = isFullTest ? 3 : 1;

async function startFlood(body: string): Promise<string> {
  const id = await platform.start(`module.exports = () => { console.log('up'); ${body} };`, {
    // The time limit is longer than the test, so that a flood ends only when the run is stopped.
    limits: { time_ms: 600_000, pause_ms: 3_600_000, output_bytes: 1_000 },
  });
  await firstEcho(platform, id);
  return id;
}

test.each(Object.entries(FLOODS))('a run ends normally while others flood the worker with %s', async (_what, body) => {
  const floods = [await startFlood(body)];
  if (isFullTest) floods.push(await startFlood(body));
  for (let n = 0; n < RUNS; n += 1) {
    expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
  }
  expect(floods.filter(id => platform.finishes.has(id))).toEqual([]);
  for (const id of floods) await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  for (const id of floods) expect(await platform.ended(id)).toMatchObject({ action: 'stop' });
});
