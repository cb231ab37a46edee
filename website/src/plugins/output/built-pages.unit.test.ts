import { parsePage } from './built-pages';

test('the website build parses a page without the highlighting of its code', () => {
  const code = '<span class="token keyword">await</span> <span class="token">stop</span>();\na &lt; b';
  const $ = parsePage(`<p>A <span>word</span></p><pre tabindex="0"><code>${code}</code></pre>`);
  expect($('pre code').html()).toBe('await stop();\na &lt; b');
  expect($('p').html()).toBe('A <span>word</span>');
});
