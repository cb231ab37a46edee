const { setTimeout: pause } = require('node:timers/promises');

const TRIES = 4;
const PAUSE_MS = 100;

/** Answers that may be better next time: the server is overloaded, restarting or silent. A 404 stays a 404. */
const isPassing = problem => !problem.response || problem.response.status === 429 || problem.response.status >= 500;

/** Tries `work` up to four times, waiting twice as long each time. */
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
