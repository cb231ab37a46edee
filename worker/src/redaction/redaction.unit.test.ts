import { inspect } from 'node:util';
import { LIMITS } from '@trawl/contracts';
import { cutText } from '../protocol/cut-text.js';
import { checkedEcho } from '../protocol/echo-items.js';
import { Redaction } from './redaction.js';

const secret = {
  login: { password: 'pass"word(1)', pin: '1234', account: '12345678', number: 4711.5 },
  line: 'nopassword1',
  keys: ['pass"word(1) and longer', '[[[[[[[[', 'aabaabaa'],
};
const redaction = new Redaction(JSON.stringify(secret));

test('redaction removes the values of a secret, and overlapping values as one', () => {
  expect(redaction.text('with pass"word(1), pass"word(1) and longer')).toBe('with [secret], [secret]');
  expect(redaction.text('aabaabaabaa, aabaaba')).toBe('[secret], aabaaba');
  expect(redaction.text('12345678nopassword1')).toBe('[secret][secret]');
});

test('redaction removes values at any depth of the secret', () => {
  const deep = `${'['.repeat(50_000)}"nopassword1"${']'.repeat(50_000)}`;
  expect(new Redaction(deep).text('with nopassword1')).toBe('with [secret]');
});

test('redaction removes short values and numbers only as whole words, and the shortest never', () => {
  expect(redaction.text('pin 1234, [1234] a1234 12345 -4711.5')).toBe('pin [secret], [[secret]] a1234 12345 -[secret]');
  expect(new Redaction('["abc", 123, true]').text('abc 123 true')).toBe('abc 123 true');
});

test.each([
  [{ a: 'pass"word(1)' }, { a: '[secret]' }],
  [
    { 'my nopassword1': [12345678, 123456789, -12345678, 'no. 12345678', 4711.5] },
    { 'my [secret]': ['[secret]', 123456789, -12345678, 'no. [secret]', '[secret]'] },
  ],
  ['x\nopassword1', 'x\nopassword1'],
  ['x\\nopassword1', 'x\\[secret]'],
  [[[[[[[[['"', '\\"']]]]]]]], [[[[[[[['"', '\\"']]]]]]]]],
])('redaction of JSON text gives valid JSON: %#', (value, expected) => {
  expect(JSON.parse(redaction.json(JSON.stringify(value)))).toEqual(expected);
});

test('redaction removes values from JSON of any depth, and from text that is not valid JSON', () => {
  const deep = '['.repeat(50_000) + 12345678 + ']'.repeat(50_000);
  expect(redaction.json(deep)).toBe(deep.replace('12345678', '"[secret]"'));
  expect(redaction.json('{nopassword1')).toBe('{[secret]');
});

describe('a secret value in another encoding', () => {
  const VALUE = 'pä"ss/w=rd?\\ +€\u{1F511}';
  const withAscii = JSON.stringify(VALUE).replace(
    /[^ -~]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const inJson = (value: unknown, times: number): string =>
    times === 0 ? String(value) : inJson(JSON.stringify(value), times - 1);
  const base64 = (before: string, after: string) => Buffer.from(before + VALUE + after).toString('base64');

  const FORMS: Record<string, string> = {
    'in an address': encodeURIComponent(VALUE),
    'in an address, in small letters': encodeURIComponent(VALUE).replace(/%../g, pair => pair.toLowerCase()),
    'in a whole address': encodeURI(VALUE),
    'in an address that spells out every byte': Buffer.from(VALUE).toString('hex').replace(/../g, '%$&'),
    'in a form': new URLSearchParams({ v: VALUE }).toString().slice(2),
    'in JSON': inJson(VALUE, 1),
    'in JSON in JSON': inJson({ a: VALUE }, 2),
    'in JSON that is ASCII': withAscii,
    'in an address in JSON': inJson(encodeURIComponent(VALUE), 1),
    'in JSON in an address': encodeURIComponent(JSON.stringify({ a: VALUE })),
    'as Node prints it': inspect({ a: VALUE }),
    'in base64': base64('', ''),
    'in base64 behind one byte': base64('u', ''),
    'in base64 behind two bytes, with more to come': base64('u:', 'more'),
    'in base64 between others': base64('user:', '...'),
    'in base64 for addresses': base64('user:', '').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    'in hex': Buffer.from(VALUE).toString('hex'),
    'in large hex': Buffer.from(VALUE).toString('hex').toUpperCase(),
  };

  test.each(Object.entries(FORMS))('is redacted: %s', (_form, form) => {
    const finds = new Redaction(JSON.stringify([VALUE]));
    const redacted = finds.text(`<${form}>`);
    expect(redacted).toContain('[secret]');
    // Only the text around the value is left, and in base64 also a character at each end of the value.
    expect(redacted.replace('[secret]', '').length).toBeLessThan(VALUE.length + 8);
    expect(JSON.parse(finds.json(JSON.stringify({ form })))).toEqual({ form: finds.text(form) });
  });

  test('is redacted without changing the text around it', () => {
    expect(new Redaction('["secret/value"]').text('a\\n%20b "secret\\/value" c%2Fd secret%2fvalue e')).toBe(
      'a\\n%20b "[secret]" c%2Fd [secret] e',
    );
  });

  test('is redacted line by line if it has several lines', () => {
    const pem = '-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n';
    const lines = pem.trim().split('\n');
    expect(lines.map(line => new Redaction(JSON.stringify({ pem })).text(line))).toEqual(lines.map(() => '[secret]'));
    expect(new Redaction('["abcdef\\nno\\na longer line"]').text('abcdef, no, abcdefg')).toBe('[secret], no, abcdefg');
  });

  test('is redacted in an echo, which has no terminal codes', () => {
    const coloured = 'token-\u001b[31mof-the-login';
    const ofSession = new Redaction(null);
    ofSession.addSession(JSON.stringify({ cookies: [{ value: coloured }] }));
    for (const finds of [new Redaction(JSON.stringify([coloured])), ofSession]) {
      const [, msg] = checkedEcho(['log', `a ${coloured} b`, '']);
      expect([finds.text(msg), finds.text(coloured)]).toEqual(['a [secret] b', '[secret]']);
    }
  });
});

describe('a short secret value in another encoding', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const hex = (text: string) => Buffer.from(text).toString('hex');
  const taken = (value: unknown, text: string) => new Redaction(JSON.stringify([value])).text(text);

  test.each(['', 'u', 'u:', 'user:'])('is redacted inside base64 if it has seven characters, after "%s"', before => {
    for (const value of ['hunter2', 12345.6]) {
      for (const after of ['', '.', '..', 'more']) {
        const redacted = taken(value, `Basic ${base64(before + value + after)}`);
        expect(redacted).toMatch(/^Basic [\w+/]*\[secret\][\w+/]*=*$/);
        expect(redacted.replace('[secret]', '').length).toBeLessThan(28);
        // The base64 text that is left before the placeholder decodes to the text before the value.
        expect(Buffer.from(redacted.slice(6).split('[secret]')[0] as string, 'base64').toString()).toBe(before);
      }
    }
  });

  test.each(['1234', 4321, 'abcde', 'abcdef', 'hunter2'])('is redacted as a whole word and in hex: %s', value => {
    const text = String(value);
    expect(taken(value, `a ${base64(text)} b`)).toMatch(/^a \[secret\]=* b$/);
    expect(taken(value, `a ${base64(text).replace(/=+$/, '')}: b`)).toBe('a [secret]: b');
    expect(taken(value, `${hex(`x${text}x`)} ${hex(text).toUpperCase()}`)).toBe('78[secret]78 [secret]');
  });

  test('is redacted at the end of longer base64 if it has six characters, and not if it has fewer', () => {
    expect(taken('secret', base64('user:secret'))).toMatch(/^dXNlcj.?\[secret\]=*$/);
    expect(taken('abcde', base64('user:abcde'))).toBe(base64('user:abcde'));
    expect(taken('1234', base64('user:1234'))).toBe(base64('user:1234'));
  });

  test('is not redacted inside words and longer numbers', () => {
    expect(taken('1234', 'MTIzNA MTIzNAx xMTIzNA')).toBe('[secret] MTIzNAx xMTIzNA');
    expect(taken(12345678, '123456789 12345678')).toBe('123456789 [secret]');
  });

  test('is redacted with its spaces encoded as in HTML forms', () => {
    expect(taken('a b c', 'q=a+b+c')).toBe('q=[secret]');
  });
});

describe('a secret value in HTML', () => {
  const value = `p&ss<w"ö'd>`;
  const html = value.replace(
    /[&<>"']/g,
    sign => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '&#39;',
  );
  const finds = new Redaction(JSON.stringify([value]));

  test.each([
    ['named entities', html],
    ['decimal numbers', [...value].map(sign => `&#${sign.codePointAt(0)};`).join('')],
    ['hexadecimal numbers', [...value].map(sign => `&#X${sign.codePointAt(0)?.toString(16)};`).join('')],
    ['JSON', JSON.stringify(html).slice(1, -1)],
    ['an address', encodeURIComponent(html)],
  ])('is redacted with %s', (_, written) => {
    expect(finds.text(`<input value="${written}">`)).toBe('<input value="[secret]">');
  });

  test('leaves other entities as they are', () => {
    const text = 'Fish &amp; chips &lt;b&gt; &#9999999; &bogus; & &#x110000; &#0;';
    expect(finds.text(text)).toBe(text);
  });
});

describe('a redacted text that was cut', () => {
  const VALUE = 'a-value-of-some-length/"';
  const finds = new Redaction(JSON.stringify([VALUE]));

  test.each([0, 1, 5, 11, 23, 24, 30])('does not end with part of a secret: %d characters before the cut', before => {
    for (const form of [
      VALUE,
      JSON.stringify(VALUE).slice(1, -1),
      encodeURIComponent(VALUE),
      VALUE.replace('"', '&quot;'),
      Buffer.from(VALUE).toString('base64'),
    ]) {
      const marker = '… [cut: 200000 characters in all]'.length;
      const text = `${'.'.repeat(LIMITS.echoMsgChars - marker - before)}${form}`.padEnd(200_000, '.');
      const [, msg] = checkedEcho(['log', text, '']);
      expect(finds.text(msg)).toMatch(before === 0 ? /^\.+… \[cut/ : /^\.+\[secret\]\.*… \[cut/);
    }
  });

  test('keeps its end if no secret value begins there', () => {
    expect(finds.text('this ends with a')).toBe('this ends with a');
    expect(finds.text(cutText('x'.repeat(100), 60))).toBe(cutText('x'.repeat(100), 60));
  });
});

test('redaction finds each of many similar secret values, and nothing else', () => {
  // A generator with a fixed seed gives the same numbers in each run.
  let seed = 1;
  const letter = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return 'abc\u{65e5}'.charAt(seed % 4);
  };
  const word = (length: number) => Array.from({ length }, letter).join('');
  const values = Array.from({ length: 300 }, (_, n) => word(8 + (n % 5)));
  const finds = new Redaction(JSON.stringify(values));
  for (const text of Array.from({ length: 100 }, () => word(60))) {
    const hidden = new Set(
      values.flatMap(value =>
        [...Array(text.length).keys()]
          .filter(at => text.startsWith(value, at))
          .flatMap(at => Array.from({ length: value.length }, (_, n) => at + n)),
      ),
    );
    const left = [...text].map((character, at) => (hidden.has(at) ? '#' : character)).join('');
    expect(finds.text(text).replace(/(\[secret\])+/g, '#')).toBe(left.replace(/#+/g, '#'));
  }
});

test('the time of a redaction does not grow with the number of secret values', () => {
  const values = Array.from({ length: 8 }, (_, n) => `${'a'.repeat(30_000)}${n}`);
  const text = 'a'.repeat(1_000_000);
  expect(new Redaction(JSON.stringify(values)).text(`${text}3`)).toBe(`${text.slice(0, -30_000)}[secret]`);
});

test.each(['%aa', '\\u00', '%', '\\', '… [cut: '])('redaction leaves a hostile text of only "%s" unchanged', piece => {
  const finds = new Redaction('["zzzzzzzz"]');
  for (const text of [piece.repeat(100_000), `${piece.repeat(100_000)}… [cut: 1 characters in all]`]) {
    expect(finds.text(text) === text).toBe(true);
  }
});

test('redaction changes nothing if the run has no secret', () => {
  expect(new Redaction(null).text('text')).toBe('text');
  expect(new Redaction(null).json('{"a":1}')).toBe('{"a":1}');
});

describe('the values of sessions', () => {
  const cookies = (...values: string[]) => JSON.stringify({ cookies: values.map(value => ({ value })) });

  test('are redacted after many others, however long they are, and with the secret', () => {
    const finds = new Redaction('["nopassword1"]');
    for (let n = 0; n < 3_000; n += 1) finds.addSession(cookies(`short-value-${n}`, `token-${n}-${'x'.repeat(200)}`));
    const token = `eyJ${'y'.repeat(4_000)}`;
    finds.addSession(cookies('the-newest', token));
    const encoded = Buffer.from('nopassword1').toString('hex');
    expect(finds.text(`a ${token} b the-newest c nopassword1 d ${encoded} short-value-2999`)).toBe(
      'a [secret] b [secret] c [secret] d [secret] [secret]',
    );
  });

  test('are redacted in headers, which have the bytes of a cookie as characters', () => {
    const finds = new Redaction(null);
    finds.addSession(cookies('中文abcdef'));
    const header = Buffer.from('tok=中文abcdef').toString('latin1');
    expect(finds.text(`${header}; 中文abcdef; ${encodeURIComponent('中文abcdef')}`)).toBe(
      'tok=[secret]; [secret]; [secret]',
    );
  });

  test('are redacted line by line if they have several lines, and after the values with one', () => {
    const [pem, token] = ['LINEONESECRET\r\n  LINETWOSECRET\nshort', `eyJ${'y'.repeat(1_000)}`];
    const finds = new Redaction(null);
    const page = Array.from({ length: 6_000 }, (_, n) => `line ${n} of a page that is kept in the storage`).join('\n');
    const localStorage = [pem, JSON.stringify({ page: pem }), page, token].map(value => ({ value }));
    finds.addSession(JSON.stringify({ cookies: [{ value: 'of-cookie\nwith-lines' }], origins: [{ localStorage }] }));
    const printed = `LINEONESECRET\nLINETWOSECRET\nshort\n${token} of-cookie with-lines`;
    expect(finds.text(printed)).toBe('[secret]\n[secret]\nshort\n[secret] [secret] [secret]');
    expect(finds.json(JSON.stringify({ pem }))).toBe('{"pem":"[secret]"}');
    finds.addSession(JSON.stringify({ origins: [{ localStorage: [{ value: `${page}\nof another session` }] }] }));
    expect(finds.text(`${token} line 7 of a page that is kept in the storage`)).toBe('[secret] [secret]');
  });

  test('are redacted to the end of the token if they are very long', () => {
    const token = 'tokenabc.'.repeat(20_000);
    const finds = new Redaction(null);
    finds.addSession(cookies('other-value', token));
    expect(finds.text(`a ${token} b other-value`)).toBe('a [secret] b [secret]');
  });
});

describe('a long text', () => {
  const ofSession = new Redaction(null);
  const token = 'token of the "Zürich" login, '.repeat(40);
  const long = 'k3y'.repeat(7_000);
  ofSession.addSession(JSON.stringify({ cookies: [{ value: token }, { value: long }] }));
  const redact = ofSession.ofSessions as (text: string) => Promise<string>;

  it.each([
    ['a value', token],
    ['JSON', JSON.stringify(token)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(token))],
    ['a URL', encodeURIComponent(token)],
    ['hex', Buffer.from(token).toString('hex')],
    ['base64', Buffer.from(token).toString('base64')],
    ['a long token', `${long}and.the.rest`],
  ])('gets the same redaction in pieces as in one: %s', async (_, form) => {
    // A value is wherever a piece begins or ends.
    const text = `${form} `.repeat(Math.ceil(2_500_000 / form.length));
    const redacted = await redact(text);
    expect(redacted === ofSession.text(text)).toBe(true);
    expect(redacted.includes(form)).toBe(false);
  });

  it('with a token that is longer than a piece is redacted up to its end', async () => {
    const text = `a ${long}${'x'.repeat(2_000_000)} b`;
    expect(await redact(text)).toBe('a [secret] b');
  });

  it('lets others run between its pieces', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await redact('nothing '.repeat(400_000));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(6);
  });
});

test('redaction removes the name and password of a proxy in every form, a short password only beside its name', () => {
  const ofProxies = new Redaction(null);
  ofProxies.addAddress('http://anna:pa%25ss%3Aw0rd@proxy.example:8080');
  ofProxies.addAddress('socks5://bernd:short@proxy.example:1080');
  ofProxies.addAddress('http://proxy.example:8080');
  expect(ofProxies.text('pa%ss:w0rd at proxy.example')).toBe('[secret] at proxy.example');
  for (const [name, password] of [
    ['anna', 'pa%ss:w0rd'],
    ['bernd', 'short'],
  ] as const) {
    const header = Buffer.from(`${name}:${password}`).toString('base64');
    // The padding of base64 may stay.
    expect(ofProxies.text(`Basic ${header}`)).toMatch(/^Basic \[secret\]=*$/);
    const url = `http://${name}:${encodeURIComponent(password)}@proxy.example`;
    expect(ofProxies.text(url)).toBe('http://[secret]@proxy.example');
  }
  expect(ofProxies.text('a short text')).toBe('a short text');
});
