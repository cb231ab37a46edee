import type { Page } from 'puppeteer-core';

export interface TransferredBytes {
  script: number;
  stylesheet: number;
}

/** Counts the bytes of the scripts and style sheets that the page transfers from now on, as compressed. */
export function countTransferredBytes(page: Page): TransferredBytes {
  const bytes: TransferredBytes = { script: 0, stylesheet: 0 };
  page.on('response', response => {
    const length = Number(response.headers()['content-length'] ?? Number.NaN);
    const [, kind] = /\/panel\/assets\/.*\.(js|css)$/.exec(response.url()) ?? [];
    if (response.fromCache()) return;
    if (kind === 'js') bytes.script += length;
    if (kind === 'css') bytes.stylesheet += length;
  });
  return bytes;
}
