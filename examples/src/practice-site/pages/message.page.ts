import { html } from '../markup.js';
import { document } from './layout.js';

/** A page that only says something: not found, refused, failed on purpose. */
export function messagePage(title: string, text: string): string {
  return document({
    title,
    body: html`<h1>${title}</h1>
<p class="message">${text}</p>
<p><a href="/catalogue">To the catalogue</a></p>`,
  });
}
