export interface QuestionOptions {
  /** The valid answers: up to 20 different texts of one line. Without choices, every text is valid. */
  choices?: readonly string[];
  /** An image to show with the question, as for `echo.image`. */
  image?: Uint8Array | string;
  /** How long to wait for the answer, in ms. Default: 5 minutes. */
  timeout?: number;
}

const DEFAULT_TIMEOUT_MS = 300_000;
/** The longest delay of a timer of JavaScript. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_TEXT_CHARS = 10_000;
const MAX_CHOICES = 20;
const MAX_CHOICE_CHARS = 200;

/** Sends a question to the worker. Returns a function that ends it, and says whether the skript has answered it itself. */
type Ask = (
  question: { text: string; choices: string[] },
  answered: (answer: string) => void,
) => (isAnswered: boolean) => void;

/** The function that the run provides; undefined outside a run. */
export const askOfRun = (): Ask | undefined =>
  (globalThis as { [key: symbol]: Ask | undefined })[Symbol.for('trawl.questions')];

/**
 * Asks a question and waits for its answer.
 *
 * @throws TypeError or RangeError for invalid arguments
 * @throws Error outside a run, or without an answer in time
 */
export async function ask(
  text: string,
  { choices = [], timeout = DEFAULT_TIMEOUT_MS }: QuestionOptions,
): Promise<string> {
  check(text, choices, timeout);
  const send = askOfRun();
  if (!send) throw new Error('echo.question works only in a run: start the skript on a worker.');
  return new Promise((resolve, reject) => {
    const end = send({ text, choices: [...choices] }, answer => {
      clearTimeout(timer);
      resolve(answer);
    });
    const timer = setTimeout(() => {
      end(false);
      reject(noAnswer(text, timeout));
    }, timeout);
  });
}

export const noAnswer = (text: string, timeoutMs: number): Error =>
  new Error(`No answer for '${text}' within ${timeoutMs}ms`);

function check(text: unknown, choices: unknown, timeout: unknown): void {
  if (typeof text !== 'string' || text.length > MAX_TEXT_CHARS) {
    throw new TypeError(`echo.question: expected a text of at most ${MAX_TEXT_CHARS} characters.`);
  }
  if (!Array.isArray(choices) || choices.length > MAX_CHOICES || new Set(choices).size < choices.length) {
    throw new TypeError(`echo.question: \`choices\` must be an array of at most ${MAX_CHOICES} different texts.`);
  }
  if (!choices.every(isChoice)) {
    throw new TypeError(
      `echo.question: each of \`choices\` must be one line of 1 to ${MAX_CHOICE_CHARS} characters, without spaces around it.`,
    );
  }
  if (!Number.isInteger(timeout) || (timeout as number) < 1 || (timeout as number) > MAX_TIMEOUT_MS) {
    throw new RangeError(
      `echo.question: \`timeout\` must be a whole number of milliseconds between 1 and ${MAX_TIMEOUT_MS}; got ${timeout}.`,
    );
  }
}

const isChoice = (choice: unknown): boolean =>
  typeof choice === 'string' &&
  choice.length >= 1 &&
  choice.length <= MAX_CHOICE_CHARS &&
  choice.trim() === choice &&
  !/[\p{Cc}\u2028\u2029]/u.test(choice);
