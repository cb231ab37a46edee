import type { Output } from './output.js';

const SILENT_MS = 2_000;
/** Whether a label is shown. Work inside other work shows none of its own. */
let isActive = false;

/**
 * Does some work. If it takes over two seconds, shows a label: at a terminal with the seconds so far, and again each
 * second.
 */
export async function progress<Result>(
  output: Output,
  label: string | (() => string),
  work: Promise<Result>,
): Promise<Result> {
  const { stderr } = output;
  if (isActive) return work;
  isActive = true;
  const since = Date.now();
  let isShown = false;
  const show = () => {
    const seconds = Math.round((Date.now() - since) / 1_000);
    const text = typeof label === 'string' ? label : label();
    if (stderr.isTTY) stderr.write(`\r\x1b[K${text}… ${seconds} s`);
    else if (!isShown) output.note(`${text}…`);
    isShown = true;
  };
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, 1_000);
  }, SILENT_MS);
  try {
    return await work;
  } finally {
    isActive = false;
    clearTimeout(timer);
    if (isShown && stderr.isTTY) stderr.write('\r\x1b[K');
  }
}
