import { ProxyLineError, readProxyLines } from './proxy-lines.js';

const problemOf = (text: string): string => {
  try {
    readProxyLines(text);
  } catch (error) {
    if (error instanceof ProxyLineError) return error.message;
    throw error;
  }
  return 'none';
};

test('each line is a proxy with its tags', () => {
  const text = `
    # the cheap ones
    http://Gate.Example country=DE tier=2
    socks5://ada:p%40ss@10.0.0.1:9050\r
    https://[2001:db8::1]/
  `;
  expect(readProxyLines(text)).toEqual([
    { url: 'http://gate.example:80', address: 'http://gate.example:80', country: 'de', tier: 2 },
    { url: 'socks5://ada:p%40ss@10.0.0.1:9050', address: 'socks5://10.0.0.1:9050', country: null, tier: 1 },
    { url: 'https://[2001:db8::1]:443', address: 'https://[2001:db8::1]:443', country: null, tier: 1 },
  ]);
});

test('the last of equal lines counts, and other users of a host are other proxies', () => {
  const proxies = readProxyLines('http://a:1@h:80\nhttp://b:1@h:80\nhttp://a:1@h tier=3');
  expect(proxies.map(({ url, tier }) => [url, tier])).toEqual([
    ['http://a:1@h:80', 3],
    ['http://b:1@h:80', 1],
  ]);
});

test.each([
  ['host:8080:ada:rope', 'Line 2: expected http://'],
  ['ftp://host:21', 'Line 2: expected http://'],
  ['javascript:alert(1)', 'Line 2: expected http://'],
  ['ftp://host:8080', 'Line 2: expected http://'],
  ['socks4://ada:rope@host:1080', 'Line 2: expected http://'],
  ['socks5h://ada:rope@host:1080', 'Line 2: expected http://'],
  ['gopher://host:70', 'Line 2: expected http://'],
  ['javascript://ada:rope@host:1080', 'Line 2: expected http://'],
  ['http://ada:rope@host:0', 'Line 2: the port must be between 1 and 65535'],
  ['socks5://ada:rope@[2001:db8::1]:00', 'Line 2: the port must be between 1 and 65535'],
  ['http://host:99999', 'Line 2: expected http://'],
  ['socks5://ho%20st:1', 'Line 2: expected http://'],
  ['socks5://:1', 'Line 2: expected http://'],
  ['http://host:1/path', 'Line 2: nothing may follow'],
  ['http://host:1?key=rope', 'Line 2: nothing may follow'],
  ['http://a:%zz@host:1', 'Line 2: write a percent sign'],
  ['http://a:b%0d%0aX@host:1', 'Line 2: user name and password must not have control characters'],
  [`http://${'a'.repeat(256)}:rope@host:1`, 'Line 2: user name and password must each have at most 255 bytes'],
  [`http://${'a'.repeat(2_000)}:rope@host:1`, 'Line 2: the address has more than 2000 characters'],
  ['http://host:1 country=germany', 'Line 2: country must be two letters'],
  ['http://host:1 tier=0', 'Line 2: tier must be a whole number between 1 and 9'],
  ['http://host:1 tier', 'Line 2: tier must be'],
  ['http://host:1 __proto__=x', 'Line 2: only the tags'],
  ['x'.repeat(1_000_000), 'Line 2: the address has more than'],
])('a line that is no proxy is refused, without its text: %.60s', (line, problem) => {
  const message = problemOf(`http://fine.example:80\n${line}`);
  expect(message).toContain(problem);
  expect(message).not.toContain('rope');
  expect(message.length).toBeLessThan(200);
});

test('a list of too many proxies is refused', () => {
  const lines = Array.from({ length: 2_001 }, (_, n) => `http://h${n}.example:80`).join('\n');
  expect(problemOf(lines)).toContain('A call can add 2000 proxies');
  expect(readProxyLines(' \n'.repeat(500_000))).toEqual([]);
});
