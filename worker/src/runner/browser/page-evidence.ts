import { LIMITS } from '@trawl/contracts';
import type { EchoItem } from '../../protocol/pipe-messages.js';
import { type BrowserPage, type BrowserPipe, MAX_TEXT_CHARS } from './browser-pipe.js';

const IMAGE_HEAD = 'data:image/jpeg;base64,';
/**
 * Maximum length of a page's source in an echo. Shorter than an echo may be, because the worker's redaction may make
 * the text longer.
 */
const SOURCE_CHARS = 0.9 * LIMITS.echoMsgChars;
/**
 * Settings for the screenshot, which are tried in order. The first one is easy to read, the last one gives a small
 * image.
 */
const PICTURE_QUALITIES = [
  { quality: 70, scale: 1 },
  { quality: 40, scale: 0.5 },
];

/** Screenshot and source of a page at one moment. */
export interface PageEvidence extends Omit<BrowserPage, 'session'> {
  /** The screenshot as a `data:` URL; null if the page did not answer in time. */
  picture: string | null;
  /** The page's source, cut to the size of an echo; null if the page did not answer in time. */
  html: string | null;
  /** Number of characters that were cut from `html`. */
  cut: number;
}

type PageSource = { title: string; html: string; cut: number };

/**
 * Captures the page that the skript used last. Returns null if the skript used no page. Never throws.
 *
 * @param ms how long a page may take that does not answer
 * @param slowMs how long the screenshot may take of a page that answers: a busy machine draws slowly
 */
export async function captureEvidence(pipe: BrowserPipe, ms: number, slowMs = ms): Promise<PageEvidence | null> {
  const page = pipe.lastUsed;
  if (!page) return null;
  // First close a dialog, if the page shows one: the page would not answer other commands.
  pipe.command('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
  const drawing = pictureOf(pipe);
  const inTime = within(ms, drawing);
  const source = await within(ms, sourceOf(pipe));
  const picture = source && slowMs > ms ? await within(slowMs, drawing) : await inTime;
  const { target, url } = page;
  const title = source?.title ?? page.title;
  return { target, title, url, picture, html: source?.html ?? null, cut: source?.cut ?? 0 };
}

/** Converts the captured page to echoes, which the run sends before its error. */
export function evidenceEchoes({ title, url, picture, html, cut }: PageEvidence, wasClosed: boolean): EchoItem[] {
  const time = new Date().toISOString();
  const state = wasClosed ? ', as it was when the skript closed it' : '';
  const missing = picture === null ? ' The page did not answer in time for a screenshot.' : ' Screenshot at the error:';
  const items: EchoItem[] = [['error', `Page at the error${state}: ${title} ${url}\n${missing.trim()}`, time]];
  if (picture !== null) items.push(['image', picture, time]);
  if (html !== null) items.push(['objekt', sourceJson({ title, url, html }, cut), time]);
  return items;
}

async function pictureOf(pipe: BrowserPipe): Promise<string | null> {
  const { cssVisualViewport: view } = await pipe.command<{ cssVisualViewport: Record<string, number> }>(
    'Page.getLayoutMetrics',
  );
  for (const { quality, scale } of PICTURE_QUALITIES) {
    const { data } = await pipe.command<{ data: string }>('Page.captureScreenshot', {
      format: 'jpeg',
      quality,
      optimizeForSpeed: true,
      clip: { x: view.pageX, y: view.pageY, width: view.clientWidth, height: view.clientHeight, scale },
    });
    if (IMAGE_HEAD.length + data.length <= LIMITS.echoImageChars) return IMAGE_HEAD + data;
  }
  return null;
}

async function sourceOf(pipe: BrowserPipe): Promise<PageSource> {
  // Use an isolated world, which has the original DOM functions even if the page has replaced its own.
  const { executionContextId } = await pipe.command<{ executionContextId: number }>('Page.createIsolatedWorld', {
    frameId: pipe.lastUsed?.target,
    worldName: 'trawl',
  });
  const { result } = await pipe.command<{ result: { value: PageSource } }>('Runtime.evaluate', {
    contextId: executionContextId,
    returnByValue: true,
    expression: `(html => ({
      title: document.title.slice(0, ${MAX_TEXT_CHARS}),
      html: html.slice(0, ${SOURCE_CHARS}),
      cut: Math.max(0, html.length - ${SOURCE_CHARS}),
    }))(document.documentElement.outerHTML)`,
  });
  return result.value;
}

/**
 * Converts the page to JSON of at most `SOURCE_CHARS` characters. Shortens the HTML further if necessary, because it
 * gets longer when it is escaped.
 */
function sourceJson(page: { title: string; url: string; html: string }, cut: number): string {
  for (let chars = page.html.length; ; chars = Math.floor(chars * 0.8)) {
    const left = cut + page.html.length - chars;
    const html = page.html.slice(0, chars) + (left > 0 ? `… [cut: ${left} more characters]` : '');
    const json = JSON.stringify({ 'page at the error': { ...page, html } });
    if (json.length <= SOURCE_CHARS || chars === 0) return json;
  }
}

/** Resolves with null if `value` rejects or takes longer than `ms`. */
function within<Value>(ms: number, value: Promise<Value>): Promise<Value | null> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms, null);
    const settle = (result: Value | null) => {
      clearTimeout(timer);
      resolve(result);
    };
    value.then(settle, () => settle(null));
  });
}
