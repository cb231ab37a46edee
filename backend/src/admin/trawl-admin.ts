#!/usr/bin/env node
import 'reflect-metadata';
import { CommanderError } from 'commander';
import { ConfigError } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import { AdminError } from './admin-error.js';
import { createProgram } from './program.js';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

try {
  process.exitCode = await createProgram().parse(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
  else {
    process.stderr.write(`${explain(error as NodeJS.ErrnoException)}\n`);
    process.exitCode = EXIT_FAILED;
  }
}

/** Errors that the operator can fix are one sentence. For all others, the stack says where to look. */
function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof AdminError || error instanceof ConfigError || error instanceof ApiError) return error.message;
  if (error.code === 'ECONNREFUSED')
    return `A server cannot be reached: ${error.message || error.code}. Run: trawl-admin doctor`;
  return `trawl-admin failed: ${error.stack ?? error.message}`;
}
