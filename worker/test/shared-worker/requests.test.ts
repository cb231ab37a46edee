import { platform } from './worker.js';

const LONG = `
const http = require('node:http');
const { setTimeout: delay } = require('node:timers/promises');
module.exports = async () => {
  const get = port => new Promise(done => http.get({ host: '127.0.0.1', port }, done).on('error', done));
  await Promise.allSettled([fetch('http://127.0.0.1:8081/a'), fetch('http://127.0.0.1:8081/b'), get(13)]);
  await delay(2_100);
};
`;

test('a run of more than two seconds reports its HTTP requests by host', async () => {
  const long = await platform.run(LONG);
  expect(long).toMatchObject({ action: 'end', error_stack: null });
  expect(long.requests).toHaveLength(2);
  expect(long.requests).toEqual(
    expect.arrayContaining([
      { host: '127.0.0.1:8081', count: 2 },
      { host: '127.0.0.1:13', count: 1 },
    ]),
  );
});
