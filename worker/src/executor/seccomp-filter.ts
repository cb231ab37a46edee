/**
 * The filter of system calls that every process of a run is under: what no skript needs, and what attacks on a kernel are
 * made of, is refused. A program of classic BPF, as bubblewrap takes it: it looks at `struct seccomp_data` (the number at
 * byte 0, the architecture at 4, the lower halves of the arguments from 16).
 */

const LOAD = 0x20;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const ANY_OF = 0x45;
const AND = 0x54;
const RETURN = 0x06;

const AT_NUMBER = 0;
const AT_ARCHITECTURE = 4;
const AT_FIRST_ARGUMENT = 16;
const AT_SECOND_ARGUMENT = 24;
const AT_THIRD_ARGUMENT = 32;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refusal = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const ESOCKTNOSUPPORT = 94;
const EAFNOSUPPORT = 97;
/** The call is not made, and its caller hears that it was. */
const PRETENDED = refusal(0);

/** Numbers from here on are those of x32, a second way to call everything on x86-64. */
const X32 = 0x40000000;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e020000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
/** How Node asks for the network's interfaces, by the first of its protocols. It changes nothing without rights that no run has. */
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
/** Between two processes it is the same as SOCK_DGRAM. */
const SOCK_RAW = 3;
const SOCK_TYPES = 0xf;

/**
 * TCP and UDP, also where none is named. Other protocols load code of the kernel that hardly anybody uses, and some connect by a
 * socket of the kernel's own, which the rules of egress do not know the user of.
 */
const INTERNET_PROTOCOLS = [0, 6, 17];

/** Of the addresses of netlink and both kinds of internet; what is longer than any of AF_UNIX is none of that. */
const ADDRESS_BYTES = [12, 16, 28];
const LONGEST_UNIX_ADDRESS_BYTES = 110;

const SOL_SOCKET = 1;
const SO_LINGER = 13;

/** Numbers that all architectures have alike since Linux 5.1, of calls that are refused. */
const NEW_CALLS = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
};

interface Architecture {
  /** AUDIT_ARCH_… */
  audit: number;
  /** Numbers of the calls that are refused. */
  refused: Record<string, number>;
  /** New processes with these flags in the first argument. */
  clone: number;
  /** Keeps its flags in memory, where no filter sees them: the C library goes back to clone. */
  clone3: number;
  socket: number;
  socketpair: number;
  bind: number;
  setsockopt: number;
}

const ARCHITECTURES: Record<string, Architecture> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    socket: 41,
    socketpair: 53,
    bind: 49,
    setsockopt: 54,
    refused: {
      ptrace: 101,
      syslog: 103,
      personality: 135,
      ustat: 136,
      sysfs: 139,
      modify_ldt: 154,
      pivot_root: 155,
      _sysctl: 156,
      adjtimex: 159,
      chroot: 161,
      acct: 163,
      settimeofday: 164,
      mount: 165,
      umount2: 166,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      sethostname: 170,
      setdomainname: 171,
      iopl: 172,
      ioperm: 173,
      create_module: 174,
      init_module: 175,
      delete_module: 176,
      get_kernel_syms: 177,
      query_module: 178,
      quotactl: 179,
      nfsservctl: 180,
      lookup_dcookie: 212,
      clock_settime: 227,
      kexec_load: 246,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      unshare: 272,
      move_pages: 279,
      perf_event_open: 298,
      fanotify_init: 300,
      name_to_handle_at: 303,
      open_by_handle_at: 304,
      clock_adjtime: 305,
      setns: 308,
      process_vm_readv: 310,
      process_vm_writev: 311,
      kcmp: 312,
      finit_module: 313,
      kexec_file_load: 320,
      bpf: 321,
      userfaultfd: 323,
      mbind: 237,
      set_mempolicy: 238,
      migrate_pages: 256,
      vhangup: 153,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    socket: 198,
    socketpair: 199,
    bind: 200,
    setsockopt: 208,
    refused: {
      lookup_dcookie: 18,
      umount2: 39,
      mount: 40,
      pivot_root: 41,
      nfsservctl: 42,
      chroot: 51,
      vhangup: 58,
      quotactl: 60,
      acct: 89,
      personality: 92,
      unshare: 97,
      kexec_load: 104,
      init_module: 105,
      delete_module: 106,
      clock_settime: 112,
      syslog: 116,
      ptrace: 117,
      reboot: 142,
      sethostname: 161,
      setdomainname: 162,
      settimeofday: 170,
      adjtimex: 171,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      swapon: 224,
      swapoff: 225,
      mbind: 235,
      set_mempolicy: 237,
      migrate_pages: 238,
      move_pages: 239,
      perf_event_open: 241,
      fanotify_init: 262,
      name_to_handle_at: 264,
      open_by_handle_at: 265,
      clock_adjtime: 266,
      setns: 268,
      process_vm_readv: 270,
      process_vm_writev: 271,
      kcmp: 272,
      finit_module: 273,
      bpf: 280,
      userfaultfd: 282,
      kexec_file_load: 294,
    },
  },
};

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * @param architecture as `process.arch` says
 * @param unixSockets whether processes may connect to sockets that have a name; a run that shares the network of the
 *   machine would reach its services by them. Pairs without a name are made by another call and stay.
 * @returns null for an architecture whose calls are not known here
 */
export function seccompFilter(architecture: string, { unixSockets }: { unixSockets: boolean }): Buffer | null {
  const known = ARCHITECTURES[architecture];
  if (!known) return null;
  return encoded([
    [LOAD, 0, 0, AT_ARCHITECTURE],
    ...unless(known.audit, KILL),
    [LOAD, 0, 0, AT_NUMBER],
    ...(architecture === 'x64' ? ([[AT_LEAST, 0, 1, X32], returned(refusal(ENOSYS))] as Instruction[]) : []),
    ...Object.values({ ...NEW_CALLS, ...known.refused }).flatMap(number => when(number, refusal(EPERM))),
    ...when(known.clone3, refusal(ENOSYS)),
    ...only(known.clone, [[LOAD, 0, 0, AT_FIRST_ARGUMENT], [ANY_OF, 0, 1, NEW_NAMESPACES], returned(refusal(EPERM))]),
    ...only(known.socket, [
      [LOAD, 0, 0, AT_FIRST_ARGUMENT],
      ...when(AF_UNIX, unixSockets ? ALLOW : refusal(EACCES)),
      ...only(AF_NETLINK, [[LOAD, 0, 0, AT_THIRD_ARGUMENT], ...unless(NETLINK_ROUTE, refusal(EPROTONOSUPPORT))]),
      ...unlessAny([AF_INET, AF_INET6], refusal(EAFNOSUPPORT)),
      [LOAD, 0, 0, AT_SECOND_ARGUMENT],
      [AND, 0, 0, SOCK_TYPES],
      ...unlessAny([SOCK_STREAM, SOCK_DGRAM], refusal(ESOCKTNOSUPPORT)),
      [LOAD, 0, 0, AT_THIRD_ARGUMENT],
      ...unlessAny(INTERNET_PROTOCOLS, refusal(EPROTONOSUPPORT)),
    ]),
    // A run may send descriptors over its pipes, which are sockets. The worker drops them, and whoever drops the last one
    // of a socket that lingers waits for it: the whole worker would stand still.
    ...only(known.setsockopt, [
      [LOAD, 0, 0, AT_SECOND_ARGUMENT],
      ...unless(SOL_SOCKET, ALLOW),
      [LOAD, 0, 0, AT_THIRD_ARGUMENT],
      ...when(SO_LINGER, PRETENDED),
    ]),
    ...(unixSockets ? [] : withoutNames(known)),
    returned(ALLOW),
  ]);
}

/** One of a pair of sockets without a name could still be sent to any name, or take one that another program needs. */
const withoutNames = (known: Architecture): Instruction[] => [
  ...only(known.socketpair, [
    [LOAD, 0, 0, AT_SECOND_ARGUMENT],
    [AND, 0, 0, SOCK_TYPES],
    ...when(SOCK_DGRAM, refusal(EACCES)),
    ...when(SOCK_RAW, refusal(EACCES)),
  ]),
  // The address is in memory, where no filter sees it, but not its length.
  ...only(known.bind, [
    [LOAD, 0, 0, AT_THIRD_ARGUMENT],
    [AT_LEAST, 0, 1, LONGEST_UNIX_ADDRESS_BYTES + 1],
    returned(ALLOW),
    ...unlessAny(ADDRESS_BYTES, refusal(EACCES)),
  ]),
];

const returned = (value: number): Instruction => [RETURN, 0, 0, value];
const when = (value: number, answer: number): Instruction[] => [[EQUAL, 0, 1, value], returned(answer)];
const unless = (value: number, answer: number): Instruction[] => [[EQUAL, 1, 0, value], returned(answer)];
const unlessAny = (values: number[], answer: number): Instruction[] => [
  ...values.map((value, index): Instruction => [EQUAL, values.length - index, 0, value]),
  returned(answer),
];

/** What is looked at for this value (as that of a call) alone, and allowed at the end of it. */
const only = (value: number, program: Instruction[]): Instruction[] => [
  [EQUAL, 0, program.length + 1, value],
  ...program,
  returned(ALLOW),
];

/** `struct sock_filter`: a 16-bit code, two 8-bit jumps, a 32-bit value. */
function encoded(program: Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
