// Takes what all programs of the machine share, or gets before them: asynchronous I/O, huge pages, terminals, compiled
// filters, queues, priorities, locked memory, and the time of its disks.
// The filter refuses each call. It skips calls that write a disk: they succeed even for a descriptor that is not open.
// ends: end ["skipped: syncfs","skipped: fsync","skipped: fdatasync","skipped: sync_file_range","skipped: fadvise64"]
const { openSync, readFileSync } = require('node:fs');
const { setPriority } = require('node:os');
const got = require('../got.js');
const systemCall = require('../system-call.js');

const [CREATE, HUGE_PAGES, HUGE_FILE, MERGEABLE] = [0o1600, 0x40022, 4, 12];
const [SOCKET, FILTER, FILTERS, CORE_SCHEDULING] = [1, 26, 22, 62];
const BTRFS_SYNC = 0x9408;

/** The highest value that a process may raise a limit to. */
const hardLimit = name =>
  Number(readFileSync('/proc/self/limits', 'utf8').match(new RegExp(`^${name} +\\S+ +(\\S+)`, 'm'))[1]);

module.exports = () =>
  got({
    'asynchronous I/O': () => systemCall('io_setup', 60_000, 'x'),
    'huge pages': () => systemCall('mmap', 0, 2_097_152, 3, HUGE_PAGES, -1, 0),
    'a file of huge pages': () => systemCall('memfd_create', 'x', HUGE_FILE),
    'merged pages': () => systemCall('madvise', 0, 4_096, MERGEABLE),
    'a terminal': () => openSync('/dev/ptmx', 'r+'),
    'a filter of system calls': () => systemCall('seccomp', 1, 0, 'x'),
    'one of an older kind': () => systemCall('prctl', FILTERS, 2, 'x'),
    'a filter of packets': () => systemCall('setsockopt', -1, SOCKET, FILTER, 'x', 16),
    'a core of the processor': () => systemCall('prctl', CORE_SCHEDULING, 1, 0, 0, 0),
    'shared memory of System V': () => systemCall('shmget', 77, 4_096, CREATE),
    semaphores: () => systemCall('semget', 77, 10, CREATE),
    'a queue of System V': () => systemCall('msgget', 77, CREATE),
    'a queue of messages': () => systemCall('mq_open', 'trawl', 0o102, 0o600, 0),
    'another kind of scheduling': () => systemCall('sched_setscheduler', 0, 3, 'x'),
    'deadlines of scheduling': () => systemCall('sched_setattr', 0, 'x', 0),
    'the first place at the disk': () => systemCall('ioprio_set', 1, 0, 2 << 13),
    'a higher priority': () => setPriority(-1),
    'what others have read': () => systemCall('cachestat', -1, 'x', 'x', 0),
    'a whole file system': () => systemCall('ioctl', 0, BTRFS_SYNC, 0),
    'locked memory': () => hardLimit('Max locked memory') !== 65_536,
    'niceness to come': () => hardLimit('Max nice priority') !== 0,
    'time before all others': () => hardLimit('Max realtime priority') !== 0,
    ...Object.fromEntries(
      ['syncfs', 'fsync', 'fdatasync', 'sync_file_range', 'fadvise64'].map(name => [
        `skipped: ${name}`,
        () => systemCall(name, -1, 0, 0, 4) === true && systemCall.errno === 0,
      ]),
    ),
  });
