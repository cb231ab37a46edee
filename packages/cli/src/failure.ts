import { EXIT, type ExitCode } from './exit-codes.js';

/** Ends a command. The message says what happened and what to do. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

/** The person asked the program to end. */
export class Interrupted extends Failure {
  constructor() {
    super('Cancelled.', EXIT.interrupted);
  }
}
