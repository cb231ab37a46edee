import { load } from 'cheerio';
import { toMarkdown } from './markdown-pages';

test('the website build converts a page to Markdown with absolute links', () => {
  const html = `<div class="theme-doc-markdown"><h1>Runs</h1>
    <p>See <a href="/docs/tech/workers#states">states</a> and <a href="#stop">below</a>.</p>
    <h2 id="stop">Stopping<a class="hash-link" href="#stop">#</a></h2>
    <pre><code>await <span class="token">stop</span>();</code></pre><button>Copy code</button>
    <table><thead><tr><th>Field</th><th>Default</th></tr></thead><tbody><tr><td><code>force</code></td><td>false</td></tr></tbody></table>
    </div>`;
  expect(toMarkdown(load(html), 'https://trawl.example.com/docs/runs')).toBe(`# Runs

See [states](https://trawl.example.com/docs/tech/workers#states) and [below](https://trawl.example.com/docs/runs#stop).

## Stopping

\`\`\`
await stop();
\`\`\`

| Field | Default |
| --- | --- |
| \`force\` | false |
`);
});
