import { platform } from './worker.js';

const skript = (ms: number) => `
const http = require('node:http');
const { setTimeout: delay } = require('node:timers/promises');
module.exports = async () => {
  const get = port => new Promise(done => http.get({ host: '127.0.0.1', port }, done).on('error', done));
  await Promise.allSettled([fetch('http://127.0.0.1:8081/a'), fetch('http://127.0.0.1:8081/b'), get(13)]);
  await delay(${ms});
};
`;

test('a run of more than two seconds reports its HTTP requests by host, a shorter one does not', async () => {
  const [long, short] = [await platform.run(skript(2_100)), await platform.run(skript(0))];
  expect(long).toMatchObject({ action: 'end', error_stack: null });
  expect(long.requests).toHaveLength(2);
  expect(long.requests).toEqual(
    expect.arrayContaining([
      { host: '127.0.0.1:8081', count: 2 },
      { host: '127.0.0.1:13', count: 1 },
    ]),
  );
  expect(short).toMatchObject({ action: 'end', error_stack: null });
  expect([short.requests, short.usage]).toEqual([undefined, undefined]);
});
