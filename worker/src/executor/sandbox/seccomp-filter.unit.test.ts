import { readFileSync } from 'node:fs';
import { seccompFilter } from './seccomp-filter.js';
import { ALLOWED_CALLS, SKIPPED_CALLS } from './system-calls.js';

const ALLOWED = 0x7fff0000;
const KILLED = 0x80000000;
const refused = (errno: number) => 0x00050000 | errno;
const [EPERM, ENOSYS] = [refused(1), refused(38)];
const [EPROTONOSUPPORT, ESOCKTNOSUPPORT, EAFNOSUPPORT] = [refused(93), refused(94), refused(97)];
const SKIPPED = refused(0);
const [STREAM, DATAGRAM, RAW, IN_ORDER, CLOSED_ON_EXEC] = [1, 2, 3, 5, 0x80000];

const ARCHITECTURES = {
  x64: {
    ...{ audit: 0xc000003e, read: 0, clone: 56, ptrace: 101, mount: 165, unshare: 272 },
    ...{ socket: 41, socketpair: 53, setsockopt: 54, ioctl: 16 },
    ...{ mmap: 9, msync: 26, madvise: 28, memfd_create: 319, prctl: 157, io_setup: 206, sync: 162 },
  },
  arm64: {
    ...{ audit: 0xc00000b7, read: 63, clone: 220, ptrace: 117, mount: 40, unshare: 97 },
    ...{ socket: 198, socketpair: 199, setsockopt: 208, ioctl: 29 },
    ...{ mmap: 222, msync: 227, madvise: 233, memfd_create: 279, prctl: 167, io_setup: 0, sync: 81 },
  },
};

/** Runs a classic BPF program as the kernel does, and returns its decision about a system call. */
function answer(filter: Buffer, audit: number, call: number, args: number[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, arg] of args.entries()) data.writeUInt32LE(arg >>> 0, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at * 8 < filter.length; at += 1) {
    const [ifTrue, ifFalse] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    const value = filter.readUInt32LE(at * 8 + 4);
    const code = filter.readUInt16LE(at * 8);
    if (code === 0x06) return value;
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x15) at += accumulator === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += accumulator >= value ? ifTrue : ifFalse;
    else if (code === 0x45) at += (accumulator & value) !== 0 ? ifTrue : ifFalse;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error('the program ended without a return');
}

describe.each(Object.entries(ARCHITECTURES))('the seccomp filter on %s', (architecture, { audit, read, ...calls }) => {
  const filter = seccompFilter(architecture) as Buffer;

  test('allows the calls of every program: reading, threads, TCP, UDP and netlink routes', () => {
    expect(answer(filter, audit, read)).toBe(ALLOWED);
    // The C library starts a thread with these flags.
    expect(answer(filter, audit, calls.clone, [0x3d0f00])).toBe(ALLOWED);
    for (const [type, protocol] of [
      [STREAM, 0],
      [STREAM | CLOSED_ON_EXEC, 6],
      [DATAGRAM, 0],
      [DATAGRAM, 17],
    ] as const) {
      for (const family of [2, 10]) expect(answer(filter, audit, calls.socket, [family, type, protocol])).toBe(ALLOWED);
    }
    expect(answer(filter, audit, calls.socket, [16, RAW | CLOSED_ON_EXEC, 0])).toBe(ALLOWED);
  });

  test('allows the listed calls and denies all others', () => {
    const numbersOf = (list: typeof ALLOWED_CALLS) => list.flatMap(call => call[architecture === 'x64' ? 1 : 2] ?? []);
    const known = new Set(numbersOf(ALLOWED_CALLS));
    const skipped = new Set(numbersOf(SKIPPED_CALLS));
    const conditional = [
      ...[calls.clone, calls.socket, calls.socketpair, calls.setsockopt, calls.ioctl, 435],
      ...[calls.mmap, calls.msync, calls.madvise, calls.memfd_create, calls.prctl],
    ];
    const newest = Math.max(...known);
    for (let call = 0; call < 1_000; call += 1) {
      if (conditional.includes(call)) continue;
      expect([call, answer(filter, audit, call)]).toEqual([
        call,
        known.has(call) ? ALLOWED : skipped.has(call) ? SKIPPED : call > newest ? ENOSYS : EPERM,
      ]);
    }
  });

  test('denies ioctl requests for which the kernel loads modules, and allows common ones', () => {
    const [FIONREAD, TIOCGWINSZ, SIOCGIFCONF] = [0x541b, 0x5413, 0x8912];
    for (const request of [FIONREAD, TIOCGWINSZ, SIOCGIFCONF])
      expect(answer(filter, audit, calls.ioctl, [0, request])).toBe(ALLOWED);
    const [TIOCSETD, SIOCGIFBR, SIOCSIFVLAN, SIOCBRADDBR] = [0x5423, 0x8940, 0x8983, 0x89a0];
    for (const request of [TIOCSETD, SIOCGIFBR, SIOCSIFVLAN, SIOCBRADDBR])
      expect(answer(filter, audit, calls.ioctl, [0, request])).toBe(EPERM);
  });

  test('denies calls that use resources of the whole machine, and skips those that flush its disks', () => {
    expect(answer(filter, audit, calls.io_setup)).toBe(EPERM);
    expect(answer(filter, audit, calls.sync)).toBe(SKIPPED);
    const [anonymous, huge, closedOnExec, hugeFile] = [0x22, 0x40000, 1, 4];
    expect(answer(filter, audit, calls.mmap, [0, 1, 3, anonymous])).toBe(ALLOWED);
    expect(answer(filter, audit, calls.mmap, [0, 1, 3, anonymous | huge])).toBe(EPERM);
    expect(answer(filter, audit, calls.memfd_create, [0, closedOnExec])).toBe(ALLOWED);
    expect(answer(filter, audit, calls.memfd_create, [0, closedOnExec | hugeFile])).toBe(EPERM);
    const [asynchronous, invalidate, synchronous] = [1, 2, 4];
    for (const flag of [asynchronous, invalidate])
      expect(answer(filter, audit, calls.msync, [0, 1, flag])).toBe(ALLOWED);
    expect(answer(filter, audit, calls.msync, [0, 1, invalidate | synchronous])).toBe(SKIPPED);
    const [willNeed, dontNeed, mergeable] = [3, 4, 12];
    for (const advice of [willNeed, dontNeed]) {
      expect(answer(filter, audit, calls.madvise, [0, 1, advice])).toBe(ALLOWED);
    }
    expect(answer(filter, audit, calls.madvise, [0, 1, mergeable])).toBe(EPERM);
    const [name, filters, coreScheduling] = [15, 22, 62];
    expect(answer(filter, audit, calls.prctl, [name])).toBe(ALLOWED);
    for (const control of [filters, coreScheduling]) expect(answer(filter, audit, calls.prctl, [control])).toBe(EPERM);
    for (const option of [26, 50, 51, 52]) expect(answer(filter, audit, calls.setsockopt, [5, 1, option])).toBe(EPERM);
    for (const request of [0x9408, 0x80089418]) expect(answer(filter, audit, calls.ioctl, [0, request])).toBe(EPERM);
  });

  test('denies calls that attacks on the kernel use, such as ptrace, mount and unshare', () => {
    for (const call of [calls.ptrace, calls.mount, calls.unshare, 425, 428]) {
      expect(answer(filter, audit, call)).toBe(EPERM);
    }
    expect(answer(filter, audit, 435)).toBe(ENOSYS);
    for (const flag of [0x20000, 0x2000000, 0x10000000, 0x40000000]) {
      expect(answer(filter, audit, calls.clone, [flag | 17])).toBe(EPERM);
    }
    for (const family of [0, 17, 38, 40]) {
      expect(answer(filter, audit, calls.socket, [family, STREAM])).toBe(EAFNOSUPPORT);
    }
  });

  test('denies all IP and netlink protocols except TCP, UDP and netlink routes', () => {
    for (const family of [2, 10]) {
      for (const type of [RAW, IN_ORDER, 6]) {
        expect(answer(filter, audit, calls.socket, [family, type])).toBe(ESOCKTNOSUPPORT);
      }
      // The numbers of ICMP, DCCP, SCTP, UDP-Lite, SMC and MPTCP.
      for (const protocol of [1, 33, 132, 136, 256, 262]) {
        expect(answer(filter, audit, calls.socket, [family, STREAM, protocol])).toBe(EPROTONOSUPPORT);
      }
    }
    for (const protocol of [2, 4, 12, 15]) {
      expect(answer(filter, audit, calls.socket, [16, RAW, protocol])).toBe(EPROTONOSUPPORT);
    }
  });

  test('skips the socket option SO_LINGER, and allows other options', () => {
    const [socket, linger, keepAlive, tcp] = [1, 13, 9, 6];
    expect(answer(filter, audit, calls.setsockopt, [5, socket, linger])).toBe(SKIPPED);
    expect(answer(filter, audit, calls.setsockopt, [5, socket, keepAlive])).toBe(ALLOWED);
    expect(answer(filter, audit, calls.setsockopt, [5, tcp, linger])).toBe(ALLOWED);
  });

  test('allows Unix sockets and socket pairs, and denies pairs of other families', () => {
    expect(answer(filter, audit, calls.socket, [1])).toBe(ALLOWED);
    for (const type of [STREAM, DATAGRAM]) expect(answer(filter, audit, calls.socketpair, [1, type])).toBe(ALLOWED);
    for (const family of [2, 10, 16, 30, 38, 40]) {
      expect(answer(filter, audit, calls.socketpair, [family, STREAM])).toBe(EAFNOSUPPORT);
    }
  });

  test('kills the process on a system call of another architecture', () => {
    expect(answer(filter, 0x40000003, read)).toBe(KILLED);
  });
});

test('the seccomp filter denies the x32 calls of x86-64', () => {
  const filter = seccompFilter('x64') as Buffer;
  expect(answer(filter, 0xc000003e, 0x40000000 | 521)).toBe(ENOSYS);
});

test('there is no seccomp filter for an unknown architecture', () => {
  expect(seccompFilter('riscv64')).toBeNull();
});

test('the seccomp filter of runs allows no call that deploy/seccomp.json denies to containers', () => {
  const { syscalls } = JSON.parse(readFileSync('deploy/seccomp.json', 'utf8'));
  const denied = new Set<string>(syscalls.flatMap(({ names }: { names: string[] }) => names));
  expect(denied).toContain('io_uring_setup');
  expect([...ALLOWED_CALLS, ...SKIPPED_CALLS].filter(([name]) => denied.has(name))).toEqual([]);
});
