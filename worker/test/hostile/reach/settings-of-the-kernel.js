// Opens kernel settings, core dump settings, memory and cgroups for writing.
// All attempts fail. (It writes nothing, to protect the machine that runs the tests.)
// ends: end []
const { openSync, mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const got = require('../got.js');

const opens = path => () => openSync(path, 'r+');

module.exports = () =>
  got({
    'what a crash starts': opens('/proc/sys/kernel/core_pattern'),
    'what an unknown program starts': opens('/proc/sys/fs/binfmt_misc/register'),
    'what a module is loaded with': opens('/proc/sys/kernel/modprobe'),
    'the name of the machine': opens('/proc/sys/kernel/hostname'),
    'the keys of the machine': opens('/proc/sysrq-trigger'),
    'how memory is given': opens('/proc/sys/vm/overcommit_memory'),
    'how the network is used': opens('/proc/sys/net/ipv4/ip_forward'),
    'how user ids are given': opens('/proc/sys/user/max_user_namespaces'),
    'who is killed first': () => writeFileSync('/proc/self/oom_score_adj', '-1000'),
    'who comes first': () => require('node:os').setPriority(-20),
    'groups of processes': () =>
      readdirSync('/sys/fs/cgroup').filter(name => name.startsWith('cgroup.procs')).length > 0,
    'a group of its own': () => mkdirSync('/sys/fs/cgroup/mine'),
    'another group': opens('/sys/fs/cgroup/memory/memory.limit_in_bytes'),
    'what the machine consists of': () => readdirSync('/sys').length > 0,
    'its firmware': () => readdirSync('/sys/firmware').length > 0,
  });
