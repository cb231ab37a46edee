import type { Output } from './terminal/output.js';

/** The options that all commands have. */
export interface Context {
  output: Output;
  /** Name of the profile in `--profile`. */
  profile?: string;
}
