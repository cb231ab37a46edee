import { html, jsonLd } from './markup.js';

test('escapes text from data', () => {
  const hostile = `"><script>alert('1')</script>&amp;`;
  expect(html`<a title="${hostile}">${[hostile]}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</a>',
  );
});

test('omits absent values and keeps nested markup', () => {
  expect(html`<p>${null}${undefined}${false}${0}${html`<b>${'<'}</b>`}</p>`.text).toBe('<p>0<b>&lt;</b></p>');
});

test('escapes structured data without changing it', () => {
  const data = { name: '</script><!-- <b> & "quotes"' };
  const element = jsonLd(data).text;
  const json = element.slice('<script type="application/ld+json">'.length, -'</script>'.length);
  expect(json).not.toContain('<');
  expect(JSON.parse(json)).toEqual(data);
});
