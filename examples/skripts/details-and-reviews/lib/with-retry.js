const { setTimeout: pause } = require('node:timers/promises');

const TRIES = 4;
const PAUSE_MS = 100;

/** Transient errors: the server is overloaded, restarting or silent. A 404 is permanent. */
const isPassing = problem => !problem.response || problem.response.status === 429 || problem.response.status >= 500;

/** Calls `work` up to four times, with a delay that doubles each time. */
exports.withRetry = async (work, onRetry) => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (problem) {
      if (attempt === TRIES || !isPassing(problem)) throw problem;
      onRetry(problem);
      await pause(PAUSE_MS * 2 ** (attempt - 1));
    }
  }
};
