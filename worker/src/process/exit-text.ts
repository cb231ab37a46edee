import type { ProcessEnd } from './run-process.js';

/**
 * Returns how a process ended, as the second part of a sentence: "was killed by SIGKILL" or "ended with exit code 1".
 */
export const exitText = ({ code, signal }: ProcessEnd): string =>
  signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
