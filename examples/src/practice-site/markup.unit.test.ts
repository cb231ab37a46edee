import { html, jsonLd } from './markup.js';

test('text that comes from data cannot become markup', () => {
  const hostile = `"><script>alert('1')</script>&amp;`;
  expect(html`<a title="${hostile}">${[hostile]}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</a>',
  );
});

test('what is absent leaves no trace, and markup inside markup is kept', () => {
  expect(html`<p>${null}${undefined}${false}${0}${html`<b>${'<'}</b>`}</p>`.text).toBe('<p>0<b>&lt;</b></p>');
});

test('structured data cannot end its own element, and reads back as it was', () => {
  const data = { name: '</script><!-- <b> & "quotes"' };
  const element = jsonLd(data).text;
  const json = element.slice('<script type="application/ld+json">'.length, -'</script>'.length);
  expect(json).not.toContain('<');
  expect(JSON.parse(json)).toEqual(data);
});
