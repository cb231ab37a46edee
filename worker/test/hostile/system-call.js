const { execFileSync } = require('node:child_process');
const { constants } = require('node:os');

/** Numbers of system calls on x64 and arm64. */
const NUMBERS = {
  io_setup: [206, 0],
  mmap: [9, 222],
  madvise: [28, 233],
  memfd_create: [319, 279],
  prctl: [157, 167],
  setsockopt: [54, 208],
  seccomp: [317, 277],
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
  mq_open: [240, 180],
  sched_setscheduler: [144, 119],
  sched_setattr: [314, 274],
  ioprio_set: [251, 30],
  cachestat: [451, 451],
  syncfs: [306, 267],
  fsync: [74, 82],
  fdatasync: [75, 83],
  sync_file_range: [277, 84],
  fadvise64: [221, 223],
  ioctl: [16, 29],
  socket: [41, 198],
  bind: [49, 200],
  socketpair: [53, 199],
  ptrace: [101, 117],
  personality: [135, 92],
  pivot_root: [155, 41],
  chroot: [161, 51],
  mount: [165, 40],
  umount2: [166, 39],
  syslog: [103, 116],
  mknodat: [259, 33],
  add_key: [248, 217],
  keyctl: [250, 219],
  unshare: [272, 97],
  perf_event_open: [298, 241],
  name_to_handle_at: [303, 264],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  fanotify_init: [300, 262],
  kcmp: [312, 272],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  clone3: [435, 435],
  move_mount: [429, 429],
  fsopen: [430, 430],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount_setattr: [442, 442],
  memfd_secret: [447, 447],
  statmount: [457, 457],
  lsm_list_modules: [461, 461],
};
const { EPERM, EACCES, EAFNOSUPPORT, ENOSYS, EPROTONOSUPPORT } = constants.errno;
/** Node has no name for it. */
const ESOCKTNOSUPPORT = 94;

/**
 * Makes a system call that Node has no function for, with Perl, which is everywhere. Numbers are passed as numbers, texts
 * as addresses. `false` when it is refused, also for want of Perl; other errors mean that the kernel would have done it.
 * The property `errno` has the error of the latest call, or 0.
 */
module.exports = (name, ...values) => {
  const number = NUMBERS[name][process.arch === 'arm64' ? 1 : 0];
  const call = ['syscall($number', ...values.map((_value, n) => `$values[${n}]`)].join(', ');
  const program = `my ($number, @values) = @ARGV; $number += 0;
    for (@values) { $_ = /^-?\\d+$/ ? $_ + 0 : $_ . "\\0" x 256 }
    print ${call}) < 0 ? $! + 0 : 0;`;
  try {
    const errno = Number(
      execFileSync('perl', ['-e', program, number, ...values], { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    module.exports.errno = errno;
    return ![EPERM, EACCES, EAFNOSUPPORT, ENOSYS, EPROTONOSUPPORT, ESOCKTNOSUPPORT].includes(errno);
  } catch {
    return false;
  }
};
