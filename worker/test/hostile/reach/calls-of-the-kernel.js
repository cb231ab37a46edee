// Makes system calls that have been ways out of sandboxes: io_uring, bpf, keys, events, page faults, namespaces.
// Makes calls that only the kernel's newest versions have, too. The filter refuses each, whatever its arguments.
// ends: end []
const got = require('../got.js');
const systemCall = require('../system-call.js');

const NEW_USER = 0x10000000;

module.exports = () =>
  got({
    io_uring: () => systemCall('io_uring_setup', 8, 'x'),
    bpf: () => systemCall('bpf', 0, 'x', 64),
    'a key': () => systemCall('add_key', 'user', 'trawl', 'x', 1, -4),
    'the keys of its session': () => systemCall('keyctl', 0, -3, 1),
    events: () => systemCall('perf_event_open', 'x', 0, -1, -1, 0),
    'page faults': () => systemCall('userfaultfd', 0),
    'a user namespace': () => systemCall('unshare', NEW_USER),
    'a new mount': () => systemCall('fsopen', 'tmpfs', 0),
    'another mount': () => systemCall('mount', 'none', '/tmp', 'tmpfs', 0, 0),
    'a root': () => systemCall('pivot_root', '.', '.'),
    'its root': () => systemCall('chroot', '.'),
    'a handle of a file': () => systemCall('name_to_handle_at', -100, '/', 'x', 'x', 0),
    'the log of the kernel': () => systemCall('syslog', 3, 'x', 8),
    'a comparison of processes': () => systemCall('kcmp', 1, 1, 0, 0, 0),
    'a descriptor of another process': () => systemCall('pidfd_getfd', -1, 0, 0),
    'advice about the memory of others': () => systemCall('process_madvise', -1, 'x', 1, 4, 0),
    'changes of a mount': () => systemCall('mount_setattr', -100, '/', 0, 'x', 32),
    'memory that the kernel cannot read': () => systemCall('memfd_secret', 0),
    'events of files': () => systemCall('fanotify_init', 0, 0),
    'a look at mounts': () => systemCall('statmount', 'x', 'x', 64, 0),
    'the guards of the kernel': () => systemCall('lsm_list_modules', 'x', 'x', 0),
    'another personality': () => systemCall('personality', 0x0040000),
  });
