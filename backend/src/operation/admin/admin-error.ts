/** An error that the operator can fix. Its message says what happened and what to do. */
export class AdminError extends Error {}
