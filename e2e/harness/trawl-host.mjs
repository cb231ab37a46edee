// @ts-check
/**
 * Runs commands of the built `trawl`, one after the other, for hosted-trawl.ts. Loading the program costs
 * more processor time than most commands, so this process loads its files once. The first file, which reads the
 * arguments, runs anew for each command.
 */
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const PROGRAM = 'packages/cli/dist/trawl.js';
const url = pathToFileURL(PROGRAM).href;
const SIGNALS = ['SIGINT', 'SIGTERM'];
let commands = 0;

process.on('message', async (/** @type {{ args: string[], cwd: string, env: object, input: string }} */ command) => {
  const { args, cwd, env, input } = command;
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, PROGRAM, ...args];
  process.exitCode = 0;
  const stdout = new Collector();
  const stderr = new Collector();
  for (const [name, stream] of Object.entries({ stdin: Readable.from([input]), stdout, stderr }))
    Object.defineProperty(process, name, { value: stream, configurable: true });
  await import(`${url}?command=${++commands}`);
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  process.send?.({ code: process.exitCode, stdout: stdout.text, stderr: stderr.text });
});

/** Keeps what is written to it. */
class Collector extends Writable {
  text = '';

  /**
   * @override
   * @param {Buffer} chunk
   * @param {string} _encoding
   * @param {() => void} done
   */
  _write(chunk, _encoding, done) {
    this.text += chunk;
    done();
  }
}
