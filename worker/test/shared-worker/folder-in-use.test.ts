import { platform, worker } from './worker.js';

test('a second worker on the same folder exits and names the process that uses it, whose runs continue', async () => {
  const id = await platform.start(`module.exports = () => new Promise(done => {
    console.log('up');
    const timer = setInterval(() => {}, 1000);
    global.trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); done('still there'); });
  });`);
  await platform.firstEcho(id);

  const second = worker().sibling();
  second.start();
  expect(await second.ended()).toBe(1);
  expect(second.output).toBe(
    `The folder ${worker().data}/worker is in use by another Trawl (process ${worker().pid}). ` +
      'Stop that one, or set TRAWL_DATA_DIR to another folder.\n',
  );

  await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: '"still there"' });
  expect(await platform.echoes(id)).toMatchObject([{ msg: 'up' }]);
});
