import { platform } from './worker.js';

const ENDLESS = `module.exports = () => new Promise(done => {
  console.log('up');
  const timer = setInterval(() => {}, 1000);
  global.trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); done(); });
});`;

test('the worker starts and stops a run even if the platform’s messages have unknown fields', async () => {
  platform.extra = { added_later: { deep: [1, null] } };
  platform.cut();
  await platform.connected();
  const id = await platform.start(ENDLESS);
  await platform.firstEcho(id);
  await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop' });
  platform.extra = {};
});
