// Reads and changes files of the worker and of the machine, some of them world-readable.
// None of them is visible.
// ends: end []
const { readdirSync, readFileSync, writeFileSync, rmSync, statSync } = require('node:fs');
const got = require('../got.js');

module.exports = ({ worker, outside }) =>
  got({
    'a file for everyone': () => readFileSync(`${outside.folder}/secret.txt`),
    'a file for one': () => readFileSync(`${outside.folder}/private.txt`),
    'a file anew': () => writeFileSync(`${outside.folder}/new.txt`, 'x'),
    'a file gone': () => rmSync(`${outside.folder}/secret.txt`),
    'a folder of others': () => readdirSync(outside.folder),
    'the folder of the worker': () => readdirSync(worker.folder),
    'its runs': () => readdirSync(`${worker.folder}/worker/runs`),
    'its places': () => readdirSync(`${worker.folder}/worker/places`),
    'by its process': () => readdirSync(`/proc/${worker.pid}/root`),
    'by its working folder': () => readdirSync(`/proc/${worker.pid}/cwd`),
    'by what it has open': () => readdirSync(`/proc/${worker.pid}/fd`),
    'by the first process': () => readFileSync(`/proc/1/root${outside.folder}/secret.txt`),
    'by its parent': () => readFileSync(`/proc/${process.ppid}/root${outside.folder}/secret.txt`),
    'by climbing': () => readFileSync(`${'../'.repeat(40)}..${outside.folder}/secret.txt`),
    'passwords of the machine': () => readFileSync('/etc/shadow'),
    'the folder of root': () => readdirSync('/root'),
    'logs of the machine': () => readdirSync('/var/log').length > 0,
    'keys of the machine': () => statSync('/etc/ssh'),
    'programs of its owner': () => readdirSync('/usr/local/bin'),
    'libraries of its owner': () => readdirSync('/usr/local/lib'),
    'sources of its owner': () => readdirSync('/usr/src'),
    'documents of its programs': () => readdirSync('/usr/share/doc'),
    'folders in /usr': () => readdirSync('/usr').some(name => !/^(bin|lib|lib64|share|local)$/.test(name)),
    'folders in /usr/share': () =>
      readdirSync('/usr/share').some(name => !/^(zoneinfo|ca-certificates|fonts|fontconfig)$/.test(name)),
    'programs in /opt': () => readdirSync('/opt').some(name => name !== 'google'),
    'the disk': () => readdirSync('/boot').length > 0,
  });
