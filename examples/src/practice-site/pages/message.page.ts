import { html } from '../rendering/markup.js';
import type { Page } from './layout.js';

/** Renders a page with a message, for example for errors. */
export function messagePage(title: string, text: string): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
<p class="message">${text}</p>
<p><a href="/catalogue">To the catalogue</a></p>`,
  };
}
