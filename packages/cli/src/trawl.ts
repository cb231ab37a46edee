#!/usr/bin/env node
import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.js';
import { Failure } from './failure.js';
import { createProgram, withShortSecret } from './program.js';

const isJson = process.argv.includes('--json');

process.stdout.on('error', error => {
  const { code } = error as NodeJS.ErrnoException;
  // A reader that ends early, such as `head`, is no error.
  if (code === 'EPIPE') process.exit(0);
  void fail(new Failure(`The result could not be written to stdout: ${code}.`)).then(exitCode =>
    process.exit(exitCode),
  );
});
// There is nowhere left to tell of an error of stderr.
process.stderr.on('error', () => process.exit(EXIT.failed));

try {
  const program = createProgram(isJson);
  await program.parseAsync(withShortSecret(process.argv.slice(2), program), { from: 'user' });
} catch (error) {
  process.exitCode = error instanceof CommanderError ? await endOfCommander(error) : await fail(error);
}

/** Handles what commander throws: after it has shown the help, and for wrong usage. */
async function endOfCommander({ code, exitCode, message }: CommanderError): Promise<number> {
  if (exitCode === 0) return 0;
  // Without --json, commander has told the person already.
  if (!isJson) return EXIT.usage;
  const text =
    code === 'commander.help' ? 'Name a command. To list them: trawl --help' : message.replace(/^error: /, '');
  return fail(new Failure(text, EXIT.usage));
}

async function fail(error: unknown): Promise<number> {
  const [{ explain }, { Output }] = await Promise.all([import('./explain.js'), import('./terminal/output.js')]);
  const { text, exitCode } = explain(error);
  if (isJson) new Output(true, process.stderr).result({ error_message: text, exit_code: exitCode });
  else new Output(false).error(text);
  return exitCode;
}
