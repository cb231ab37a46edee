/**
 * The seccomp filter of every process of a run. The filter allows the system calls in `system-calls.ts`, some of them
 * only with certain arguments, and denies all others. It is a classic BPF program, the format that bubblewrap takes. The
 * program reads `struct seccomp_data`: the call's number at byte 0, the architecture at byte 4, and the lower halves of
 * the arguments from byte 16.
 */
import { ALLOWED_CALLS, SKIPPED_CALLS } from './system-calls.js';

// Instructions of classic BPF, with the operand `k` and the addressing mode that this filter uses.
const BPF_LD = 0x20;
const BPF_JEQ = 0x15;
const BPF_JGE = 0x35;
const BPF_JSET = 0x45;
const BPF_AND = 0x54;
const BPF_RET = 0x06;

const OFFSET_NR = 0;
const OFFSET_ARCH = 4;
const OFFSET_ARG0 = 16;
const OFFSET_ARG1 = 24;
const OFFSET_ARG2 = 32;
const OFFSET_ARG3 = 40;

const SECCOMP_RET_ALLOW = 0x7fff0000;
const SECCOMP_RET_KILL_PROCESS = 0x80000000;
/**
 * Result of the filter (SECCOMP_RET_ERRNO): the kernel does not execute the system call, and the call fails with this
 * error.
 */
const failWith = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const ESOCKTNOSUPPORT = 94;
const EAFNOSUPPORT = 97;
/** Result of the filter: the kernel does not execute the system call, but the call appears to succeed. */
const SKIP_CALL = failWith(0);

/** This bit is set in the number of every system call that uses x32, the second ABI of x86-64. */
const X32_SYSCALL_BIT = 0x40000000;

/** The flags of `clone` that create namespaces: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW_NAMESPACES = 0x7e020000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
/**
 * Netlink sockets. Node needs their protocol NETLINK_ROUTE to list the network interfaces. A run cannot change anything
 * with it, because that needs rights that no run has.
 */
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_TYPE_MASK = 0xf;

/**
 * The allowed protocols: TCP, UDP, and 0 for the default protocol of the socket's type. Other protocols load kernel
 * code that hardly any program uses.
 */
const INTERNET_PROTOCOLS = [0, 6, 17];

/**
 * Requests of `ioctl` that are denied. For the first ones, the kernel loads a module for any caller: SIOCGIFBR,
 * SIOCSIFBR, SIOCBRADDBR, SIOCBRDELBR (bridges), SIOCGIFVLAN, SIOCSIFVLAN (VLANs), TIOCSETD (line disciplines of a
 * terminal). The others write a whole disk: BTRFS_IOC_SYNC, BTRFS_IOC_START_SYNC. The kernel reads only the lower half of
 * a request.
 */
const DENIED_REQUESTS = [0x8940, 0x8941, 0x89a0, 0x89a1, 0x8982, 0x8983, 0x5423, 0x9408, 0x80089418];

const SOL_SOCKET = 1;
const SO_LINGER = 13;
/**
 * Options of sockets that attach a program: SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF and _EBPF. The
 * kernel compiles such programs into memory that all of the machine shares (net.core.bpf_jit_limit), also with the
 * filters of other sandboxes.
 */
const PROGRAM_OPTIONS = [26, 50, 51, 52];

/**
 * Requests of `prctl` that are denied: PR_SET_SECCOMP, because filters take the same memory, and PR_SCHED_CORE, because
 * its owner keeps others from the second thread of a processor core.
 */
const DENIED_CONTROLS = [22, 62];

/** Huge pages are a pool of the machine, which no limit of a run counts: MAP_HUGETLB, MFD_HUGETLB. */
const MAP_HUGETLB = 0x40000;
const MFD_HUGETLB = 4;

/** Lets the kernel look for equal pages in the memory of all processes. */
const MADV_MERGEABLE = 12;

/** Writes a file of the machine to its disk, as `fsync` does. */
const MS_SYNC = 4;

interface Architecture {
  /** AUDIT_ARCH_… */
  audit: number;
  /** Position of the architecture's number in the table of system calls. */
  column: 1 | 2;
  /** Number of the system call `clone`. The filter can read its flags, because they are the first argument. */
  clone: number;
  socket: number;
  socketpair: number;
  setsockopt: number;
  ioctl: number;
  mmap: number;
  msync: number;
  madvise: number;
  memfd_create: number;
  prctl: number;
}

/**
 * Number of the system call `clone3`. It takes its flags in memory, which a filter cannot read. So the filter denies it
 * with ENOSYS, and the C library uses `clone` instead.
 */
const CLONE3 = 435;

const ARCHITECTURES: Record<string, Architecture> = {
  x64: {
    ...{ audit: 0xc000003e, column: 1, clone: 56, socket: 41, socketpair: 53, setsockopt: 54, ioctl: 16 },
    ...{ mmap: 9, msync: 26, madvise: 28, memfd_create: 319, prctl: 157 },
  },
  arm64: {
    ...{ audit: 0xc00000b7, column: 2, clone: 220, socket: 198, socketpair: 199, setsockopt: 208, ioctl: 29 },
    ...{ mmap: 222, msync: 227, madvise: 233, memfd_create: 279, prctl: 167 },
  },
};

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * Builds the filter for a processor architecture with a name as in `process.arch`. Returns null if this file does not
 * contain the numbers of the architecture's system calls.
 */
export function seccompFilter(architecture: string): Buffer | null {
  const known = ARCHITECTURES[architecture];
  if (!known) return null;
  const numbers = ALLOWED_CALLS.flatMap(call => call[known.column] ?? []);
  const skipped = SKIPPED_CALLS.flatMap(call => call[known.column] ?? []);
  return encodeProgram([
    [BPF_LD, 0, 0, OFFSET_ARCH],
    ...ifNotEqual(known.audit, SECCOMP_RET_KILL_PROCESS),
    [BPF_LD, 0, 0, OFFSET_NR],
    ...(architecture === 'x64' ? ([[BPF_JGE, 0, 1, X32_SYSCALL_BIT], ret(failWith(ENOSYS))] as Instruction[]) : []),
    ...ifEqual(CLONE3, failWith(ENOSYS)),
    ...onlyFor(known.clone, [
      [BPF_LD, 0, 0, OFFSET_ARG0],
      [BPF_JSET, 0, 1, CLONE_NEW_NAMESPACES],
      ret(failWith(EPERM)),
    ]),
    ...onlyFor(known.socket, [
      [BPF_LD, 0, 0, OFFSET_ARG0],
      ...ifEqual(AF_UNIX, SECCOMP_RET_ALLOW),
      ...onlyFor(AF_NETLINK, [[BPF_LD, 0, 0, OFFSET_ARG2], ...ifNotEqual(NETLINK_ROUTE, failWith(EPROTONOSUPPORT))]),
      ...ifNoneOf([AF_INET, AF_INET6], failWith(EAFNOSUPPORT)),
      [BPF_LD, 0, 0, OFFSET_ARG1],
      [BPF_AND, 0, 0, SOCK_TYPE_MASK],
      ...ifNoneOf([SOCK_STREAM, SOCK_DGRAM], failWith(ESOCKTNOSUPPORT)),
      [BPF_LD, 0, 0, OFFSET_ARG2],
      ...ifNoneOf(INTERNET_PROTOCOLS, failWith(EPROTONOSUPPORT)),
    ]),
    ...onlyFor(known.socketpair, [[BPF_LD, 0, 0, OFFSET_ARG0], ...ifNotEqual(AF_UNIX, failWith(EAFNOSUPPORT))]),
    // Ignore SO_LINGER. A run can send descriptors to the worker over its pipes, which are sockets, and the worker
    // closes these descriptors. To close the last descriptor of a socket with SO_LINGER would block the whole worker.
    ...onlyFor(known.setsockopt, [
      [BPF_LD, 0, 0, OFFSET_ARG1],
      ...ifNotEqual(SOL_SOCKET, SECCOMP_RET_ALLOW),
      [BPF_LD, 0, 0, OFFSET_ARG2],
      ...ifEqual(SO_LINGER, SKIP_CALL),
      ...ifOneOf(PROGRAM_OPTIONS, failWith(EPERM)),
    ]),
    ...onlyFor(known.ioctl, [[BPF_LD, 0, 0, OFFSET_ARG1], ...ifOneOf(DENIED_REQUESTS, failWith(EPERM))]),
    ...onlyFor(known.mmap, [[BPF_LD, 0, 0, OFFSET_ARG3], [BPF_JSET, 0, 1, MAP_HUGETLB], ret(failWith(EPERM))]),
    ...onlyFor(known.memfd_create, [[BPF_LD, 0, 0, OFFSET_ARG1], [BPF_JSET, 0, 1, MFD_HUGETLB], ret(failWith(EPERM))]),
    ...onlyFor(known.madvise, [[BPF_LD, 0, 0, OFFSET_ARG2], ...ifEqual(MADV_MERGEABLE, failWith(EPERM))]),
    ...onlyFor(known.msync, [[BPF_LD, 0, 0, OFFSET_ARG2], [BPF_JSET, 0, 1, MS_SYNC], ret(SKIP_CALL)]),
    ...onlyFor(known.prctl, [[BPF_LD, 0, 0, OFFSET_ARG0], ...ifOneOf(DENIED_CONTROLS, failWith(EPERM))]),
    ...ifOneOf(skipped, SKIP_CALL),
    ...rangesOf(numbers).flatMap(allowRange),
    // A call that is newer than the table does not exist for runs. The C library then uses an older call.
    [BPF_JGE, 0, 1, Math.max(...numbers) + 1],
    ret(failWith(ENOSYS)),
    ret(failWith(EPERM)),
  ]);
}

/** Joins numbers that follow each other. */
function rangesOf(numbers: number[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range && number <= range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

const allowRange = ([first, last]: [number, number]): Instruction[] => [
  [BPF_JGE, 0, 2, first],
  [BPF_JGE, 1, 0, last + 1],
  ret(SECCOMP_RET_ALLOW),
];

const ret = (value: number): Instruction => [BPF_RET, 0, 0, value];
const ifEqual = (value: number, answer: number): Instruction[] => [[BPF_JEQ, 0, 1, value], ret(answer)];
const ifNotEqual = (value: number, answer: number): Instruction[] => [[BPF_JEQ, 1, 0, value], ret(answer)];
const ifOneOf = (values: number[], answer: number): Instruction[] => values.flatMap(value => ifEqual(value, answer));
const ifNoneOf = (values: number[], answer: number): Instruction[] => [
  ...values.map((value, index): Instruction => [BPF_JEQ, values.length - index, 0, value]),
  ret(answer),
];

/**
 * Runs `program` only if the value that was loaded last, for example the number of the system call, equals `value`.
 * When `program` ends without a decision, the call is allowed.
 */
const onlyFor = (value: number, program: Instruction[]): Instruction[] => [
  [BPF_JEQ, 0, program.length + 1, value],
  ...program,
  ret(SECCOMP_RET_ALLOW),
];

/** Encodes each instruction as a `struct sock_filter`: a 16-bit code, two 8-bit jumps, a 32-bit value. */
function encodeProgram(program: Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
