// @ts-check
const isTerminal = process.stdout.isTTY === true;
const hasColour = isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** @param {number} code */
const painter = code => (/** @type {string} */ text) => (hasColour ? `\u001b[${code}m${text}\u001b[0m` : text);

/** Functions that add colour to text, to show a state. If the output is not a terminal, they add no colour. */
export const paint = { ok: painter(32), warn: painter(33), error: painter(31), quiet: painter(2), strong: painter(1) };

const KNOTS = 5;
const FRAME_MS = 120;

/** Tasks in progress, oldest first. @type {{ label: string, detail: string, startedAt: number }[]} */
const active = [];
/** Redraws the progress line. @type {NodeJS.Timeout | undefined} */
let timer;
let frame = 0;

// Ignore write errors after the terminal was closed, because the parts of the platform must still be stopped in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** @param {string} [text] */
export function line(text = '') {
  clearProgress();
  process.stdout.write(`${text}\n`);
  draw();
}

/** @param {string} text */
export function errorLine(text) {
  clearProgress();
  process.stderr.write(`${paint.error('✗')} ${text}\n`);
  draw();
}

function clearProgress() {
  if (isTerminal && active.length > 0) process.stdout.write('\r\u001b[K');
}

/** @param {number} ms */
const seconds = ms => `${(ms / 1000).toFixed(1)} s`;

function draw() {
  if (!isTerminal || active.length === 0) return;
  const mesh = Array.from({ length: KNOTS }, (_, knot) => (knot === frame % KNOTS ? '●' : '○')).join('┄');
  const labels = active.map(
    ({ label, detail, startedAt }) => `${label}${detail} ${paint.quiet(seconds(performance.now() - startedAt))}`,
  );
  process.stdout.write(`\r\u001b[K${mesh} ${labels.join(' · ')}`);
}

/**
 * Shows progress while `work` runs, then its duration. On a terminal this is an animation next to the names of all
 * tasks in progress. Otherwise it prints one line at the start, one for each step, and one at the end.
 * @template T
 * @param {string} label
 * @param {(say: (detail: string) => void) => Promise<T>} work `say`: shows which step the work is at
 * @returns {Promise<T>}
 */
export async function progress(label, work) {
  const startedAt = performance.now();
  const entry = { label, detail: '', startedAt };
  /** @param {string} detail */
  const say = detail => {
    entry.detail = `: ${detail}`;
    if (isTerminal) draw();
    else process.stdout.write(`${label}${entry.detail} …\n`);
  };
  if (!isTerminal) process.stdout.write(`${label} …\n`);
  active.push(entry);
  draw();
  timer ??= isTerminal
    ? setInterval(() => {
        frame += 1;
        draw();
      }, FRAME_MS)
    : undefined;
  const finish = () => {
    clearProgress();
    active.splice(active.indexOf(entry), 1);
    if (active.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  try {
    const result = await work(say);
    finish();
    line(`${paint.ok('✓')} ${label} ${paint.quiet(`(${seconds(performance.now() - startedAt)})`)}`);
    return result;
  } catch (error) {
    finish();
    throw error;
  }
}
