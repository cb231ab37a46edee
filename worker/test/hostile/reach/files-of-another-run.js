// Looks for data of another run: in its folders, its processes, its environment, on its port.
// It finds no trace of it.
// ends: end []
const { readdirSync, readFileSync } = require('node:fs');
const { connect } = require('node:net');
const { tmpdir } = require('node:os');
const got = require('../got.js');

const connects = options =>
  new Promise((resolve, reject) => connect(options).once('connect', resolve).once('error', reject));

const pids = () => readdirSync('/proc').filter(name => /^\d+$/.test(name));

module.exports = ({ worker, neighbour }) =>
  got({
    'its file': () => readFileSync(`${neighbour.home}/neighbour.txt`),
    'its temporary file': () => readFileSync(`${tmpdir()}/neighbour.txt`),
    'its file in memory': () => readFileSync('/dev/shm/neighbour.txt'),
    'folders of places': () => readdirSync(`${worker.folder}/worker/places`),
    'its file by a process': () =>
      pids().filter(pid => readdirSync(`/proc/${pid}/cwd`).includes('neighbour.txt')).length > 0,
    'its environment': () => pids().some(pid => readFileSync(`/proc/${pid}/environ`, 'utf8').includes('NEIGHBOUR')),
    'its child': () => pids().some(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep')),
    'its user': () => process.setuid(neighbour.uid) !== undefined || process.getuid() === neighbour.uid,
    'its port': () => connects({ host: '127.0.0.1', port: neighbour.port }),
    'its port by the other protocol': () => connects({ host: '::1', port: neighbour.port }),
  });
