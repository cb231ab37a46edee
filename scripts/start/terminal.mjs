// @ts-check
const isTerminal = process.stdout.isTTY === true;
const hasColour = isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** @param {number} code */
const painter = code => (/** @type {string} */ text) => (hasColour ? `\u001b[${code}m${text}\u001b[0m` : text);

/** Colour says state and nothing else; on anything but a terminal there is none. */
export const paint = { ok: painter(32), warn: painter(33), error: painter(31), quiet: painter(2), strong: painter(1) };

const KNOTS = 5;
const FRAME_MS = 120;

/** Draws the progress line, while there is one. @type {(() => void) | undefined} */
let redraw;

// A terminal that was closed is no reason to leave without stopping everything in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** @param {string} [text] */
export function line(text = '') {
  clearProgress();
  process.stdout.write(`${text}\n`);
  redraw?.();
}

/** @param {string} text */
export function errorLine(text) {
  clearProgress();
  process.stderr.write(`${paint.error('✗')} ${text}\n`);
  redraw?.();
}

function clearProgress() {
  if (redraw) process.stdout.write('\r\u001b[K');
}

/** @param {number} ms */
const seconds = ms => `${(ms / 1000).toFixed(1)} s`;

/**
 * Shows that something long goes on, and in the end that it is done. On a terminal that is a mesh with a knot moving
 * along it; elsewhere it is a plain line at the beginning and one at the end.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function progress(label, work) {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let frame = 0;
  const draw = () => {
    const mesh = Array.from({ length: KNOTS }, (_, knot) => (knot === frame % KNOTS ? '●' : '○')).join('┄');
    process.stdout.write(`\r\u001b[K${mesh} ${label} ${paint.quiet(seconds(elapsed()))}`);
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  if (isTerminal) {
    redraw = draw;
    draw();
    timer = setInterval(() => {
      frame += 1;
      draw();
    }, FRAME_MS);
  } else {
    process.stdout.write(`${label} …\n`);
  }
  const finish = () => {
    clearInterval(timer);
    clearProgress();
    redraw = undefined;
  };
  try {
    const result = await work();
    finish();
    line(`${paint.ok('✓')} ${label} ${paint.quiet(`(${seconds(elapsed())})`)}`);
    return result;
  } catch (error) {
    finish();
    throw error;
  }
}
