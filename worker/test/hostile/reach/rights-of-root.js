// Tries to become root: with its user id, with setuid programs, with a setuid program of its own.
// It has the rights of an ordinary user, and gets no more.
// ends: end []
const { execFileSync } = require('node:child_process');
const { chmodSync, chownSync, copyFileSync, readFileSync, writeFileSync } = require('node:fs');
const got = require('../got.js');

const runs =
  (...command) =>
  () =>
    execFileSync(command[0], command.slice(1), { stdio: 'ignore' });
const status = name => readFileSync('/proc/self/status', 'utf8').match(new RegExp(`^${name}:\\s+(\\S+)`, 'm'))[1];

module.exports = () => {
  writeFileSync('mine', 'x');
  return got({
    'being it': () => process.getuid() === 0 || process.geteuid() === 0,
    'a group of others': () => process.getgroups().some(group => group !== process.getgid()),
    'its user id': () => process.setuid(0) ?? true,
    'its group': () => process.setgid(0) ?? true,
    'its groups': () => process.setgroups([0]) ?? true,
    capabilities: () => /[1-9a-f]/.test(status('CapEff') + status('CapPrm') + status('CapBnd')),
    'new ones': () => status('NoNewPrivs') !== '1',
    su: runs('su', '-c', 'id'),
    sudo: runs('sudo', '-n', 'id'),
    'another password': runs('passwd', '-d', 'root'),
    'a program of its own': () => {
      copyFileSync('/usr/bin/id', 'id');
      chmodSync('id', 0o4755);
      return execFileSync('./id', ['-u']).toString().trim() === '0';
    },
    'a file of root': () => chownSync('mine', 0, 0),
  });
};
