import { load } from 'cheerio/slim';
import { htmlToMarkdown } from './html-to-markdown';
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

test.each([
  [
    '<p>A <b>bold </b>word,<em>another</em> and <a href="/docs">a link</a>.</p>',
    'A **bold** word,_another_ and [a link](/docs).',
  ],
  ['<p>a*b [c] snake_case &lt;b&gt;</p>', 'a\\*b \\[c\\] snake\\_case \\<b>'],
  ['<p>1. Not a list</p><p># Not a heading</p>', '1\\. Not a list\n\n\\# Not a heading'],
  ['<p>Press <code>a `b`</code></p>', 'Press `` a `b` ``'],
  ['<pre><code>```\nx\n```\n</code></pre>', '````\n```\nx\n```\n````'],
  ['<ul><li>One</li><li><p>Two</p><pre><code>x</code></pre></li></ul>', '- One\n- Two\n\n  ```\n  x\n  ```'],
  ['<ol><li>One<ul><li>Inner</li></ul></li><li>Two</li></ol>', '1. One\n\n   - Inner\n2. Two'],
  ['<blockquote><p>One</p><p>Two</p></blockquote>', '> One\n\n> Two'],
  ['<div>Note<div><p>Text</p></div></div><hr><button>Copy</button>', 'Note\n\nText\n\n---'],
  ['<table><tr><th>A</th></tr><tr><td>a|b<br>c</td></tr></table>', '| A |\n| --- |\n| a\\|b c |'],
])('the website build converts %s', (html, markdown) => {
  expect(htmlToMarkdown(load(html, {}, false).root().contents().toArray())).toBe(markdown);
});
