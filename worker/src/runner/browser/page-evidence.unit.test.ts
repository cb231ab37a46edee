import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserPipe } from './browser-pipe.js';
import { captureEvidence } from './page-evidence.js';

/** A page that takes some time to draw, and answers other commands at once or never. */
function pageOf({ drawMs, answers }: { drawMs: number; answers: boolean }): BrowserPipe {
  const command = async (method: string) => {
    if (method === 'Page.captureScreenshot') return delay(drawMs, { data: '/9j/' }, { ref: false });
    if (method === 'Page.getLayoutMetrics') return { cssVisualViewport: {} };
    if (!answers) await new Promise(() => {});
    return method === 'Runtime.evaluate' ? { result: { value: { title: '', html: '<p>', cut: 0 } } } : {};
  };
  return { lastUsed: { target: 'page', title: '', url: '' }, command } as unknown as BrowserPipe;
}

it('after an error, the runner waits longer for the screenshot of a page that answers but draws slowly', async () => {
  const slow = pageOf({ drawMs: 200, answers: true });
  expect(await captureEvidence(slow, 50, 60_000)).toMatchObject({
    picture: 'data:image/jpeg;base64,/9j/',
    html: '<p>',
  });
  expect(await captureEvidence(slow, 50)).toMatchObject({ picture: null, html: '<p>' });
});

it('after an error, the runner does not wait longer for the screenshot of a page that does not answer', async () => {
  const hung = pageOf({ drawMs: 3_600_000, answers: false });
  expect(await captureEvidence(hung, 50, 3_600_000)).toMatchObject({ picture: null, html: null });
});
