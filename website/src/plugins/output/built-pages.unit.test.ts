import { parsePage } from './built-pages';

const page = (code: string) => `<!DOCTYPE html><html><head><title>Runs | Trawl</title></head><body>
  <nav><a href="/docs">Docs</a></nav><main class="docs"><p>A <span>word</span></p>
  <pre tabindex="0"><code>${code}</code></pre></main><footer>Footer</footer></body></html>`;

test('the website build parses the head and the main part of a page, and code without its highlighting', () => {
  const $ = parsePage(page('<span class="token keyword">await</span> <span class="token">stop</span>();\na &lt; b'));
  expect($('title').text()).toBe('Runs | Trawl');
  expect($('nav, footer').length).toBe(0);
  expect($('pre code').html()).toBe('await stop();\na &lt; b');
  expect($('p').html()).toBe('A <span>word</span>');
});
