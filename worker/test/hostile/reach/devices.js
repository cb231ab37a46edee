// Opens disks, terminals, network and other devices, and creates device files.
// Only harmless ones are available.
// ends: end ["null","zero","random"]
const { openSync, readdirSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const got = require('../got.js');
const systemCall = require('../system-call.js');

const opens = path => () => openSync(path, 'r+');
const HARMLESS = /^(null|zero|full|random|urandom|shm|fd|std(in|out|err))$/;

module.exports = () =>
  got({
    null: opens('/dev/null'),
    zero: opens('/dev/zero'),
    random: () => openSync('/dev/urandom', 'r'),
    terminal: opens('/dev/tty'),
    console: opens('/dev/console'),
    disk: opens('/dev/vda'),
    'another disk': opens('/dev/sda'),
    'a loop': opens('/dev/loop-control'),
    'file systems of its own': opens('/dev/fuse'),
    'networks of its own': opens('/dev/net/tun'),
    'machines of its own': opens('/dev/kvm'),
    'the log of the kernel': () => openSync('/dev/kmsg', 'r'),
    'inputs of the machine': () => readdirSync('/dev/input'),
    'what else there is': () => readdirSync('/dev').some(name => !HARMLESS.test(name)),
    'a device of its own': () => systemCall('mknodat', -100, 'disk', 0o60666, 8 << 8),
    'one by a program': () => execFileSync('mknod', ['zero', 'c', '1', '5'], { stdio: 'ignore' }),
  });
