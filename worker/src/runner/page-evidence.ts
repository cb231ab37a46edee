import { LIMITS } from '@trawl/contracts';
import type { EchoItem } from '../pipe-messages.js';
import { type BrowserPage, type BrowserPipe, MAX_TEXT_CHARS } from './browser-pipe.js';

const IMAGE_HEAD = 'data:image/jpeg;base64,';
/** Room is left for what the worker puts in place of a secret, which may be longer. */
const SOURCE_CHARS = 0.9 * LIMITS.echoMsgChars;
/** From what is good to read to what surely fits. */
const PICTURES = [
  { quality: 70, scale: 1 },
  { quality: 40, scale: 0.5 },
];

/** What a page was like at a moment. */
export interface PageEvidence extends Omit<BrowserPage, 'session'> {
  /** A `data:` address; null when the page did not give one in time. */
  picture: string | null;
  /** Cut to what fits an echo; null as above. */
  html: string | null;
  /** What was left off the end of `html`, in characters. */
  cut: number;
}

type PageSource = { title: string; html: string; cut: number };

/** Looks at the page that was used last, for `ms` at most; null when none was. Never throws. */
export async function evidenceOf(pipe: BrowserPipe, ms: number): Promise<PageEvidence | null> {
  const page = pipe.used;
  if (!page) return null;
  // While a page shows a dialog it answers nothing else.
  pipe.ask('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
  const [picture, source] = await Promise.all([within(ms, pictureOf(pipe)), within(ms, sourceOf(pipe))]);
  const { target, url } = page;
  const title = source?.title ?? page.title;
  return { target, title, url, picture, html: source?.html ?? null, cut: source?.cut ?? 0 };
}

/** How a run shows it beside its error. */
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
  const { cssVisualViewport: view } = await pipe.ask<{ cssVisualViewport: Record<string, number> }>(
    'Page.getLayoutMetrics',
  );
  for (const { quality, scale } of PICTURES) {
    const { data } = await pipe.ask<{ data: string }>('Page.captureScreenshot', {
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
  // A world of one's own: what the page made of its objects does not count there.
  const { executionContextId } = await pipe.ask<{ executionContextId: number }>('Page.createIsolatedWorld', {
    frameId: pipe.used?.target,
    worldName: 'trawl',
  });
  const { result } = await pipe.ask<{ result: { value: PageSource } }>('Runtime.evaluate', {
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

/** JSON text of at most `SOURCE_CHARS`: what stands in quotes is longer there. */
function sourceJson(page: { title: string; url: string; html: string }, cut: number): string {
  for (let chars = page.html.length; ; chars = Math.floor(chars * 0.8)) {
    const left = cut + page.html.length - chars;
    const html = page.html.slice(0, chars) + (left > 0 ? `… [cut: ${left} more characters]` : '');
    const json = JSON.stringify({ 'page at the error': { ...page, html } });
    if (json.length <= SOURCE_CHARS || chars === 0) return json;
  }
}

/** Null when it fails, or takes longer. */
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
