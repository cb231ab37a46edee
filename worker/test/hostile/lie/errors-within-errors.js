// Throws an error with circular causes and a message of megabytes.
// ends: exception
module.exports = () => {
  const error = new Error('x'.repeat(5_000_000));
  error.cause = new AggregateError([error], 'all', { cause: error });
  throw error;
};
