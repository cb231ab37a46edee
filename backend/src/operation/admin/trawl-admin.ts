#!/usr/bin/env node
import 'reflect-metadata';
import { CommanderError } from 'commander';
import { explain } from './explain.js';
import { createProgram } from './program.js';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

// The reader of a pipe may close it early, as `head` does. The command continues, because it may be a restore.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  process.exitCode = await createProgram().parse(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
  else {
    process.stderr.write(`${explain(error as Error)}\n`);
    process.exitCode = EXIT_FAILED;
  }
}
