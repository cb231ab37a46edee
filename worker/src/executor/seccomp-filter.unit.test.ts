import { seccompFilter } from './seccomp-filter.js';

const ALLOWED = 0x7fff0000;
const KILLED = 0x80000000;
const refused = (errno: number) => 0x00050000 | errno;
const [EPERM, EACCES, ENOSYS, EAFNOSUPPORT] = [refused(1), refused(13), refused(38), refused(97)];

const ARCHITECTURES = {
  x64: { audit: 0xc000003e, read: 0, clone: 56, socket: 41, socketpair: 53, ptrace: 101, mount: 165, unshare: 272 },
  arm64: { audit: 0xc00000b7, read: 63, clone: 220, socket: 198, socketpair: 199, ptrace: 117, mount: 40, unshare: 97 },
};

/** What the kernel does with a program of classic BPF. */
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
  throw new Error('the program has no end');
}

describe.each(Object.entries(ARCHITECTURES))('on %s', (architecture, { audit, read, ...calls }) => {
  const shared = seccompFilter(architecture, { unixSockets: false }) as Buffer;
  const own = seccompFilter(architecture, { unixSockets: true }) as Buffer;

  test('what every program does is allowed', () => {
    expect(answer(shared, audit, read)).toBe(ALLOWED);
    // A thread, as the C library starts one.
    expect(answer(shared, audit, calls.clone, [0x3d0f00])).toBe(ALLOWED);
    for (const family of [2, 10, 16]) expect(answer(shared, audit, calls.socket, [family])).toBe(ALLOWED);
  });

  test('what attacks on a kernel are made of is refused', () => {
    for (const call of [calls.ptrace, calls.mount, calls.unshare, 425, 428]) {
      expect(answer(shared, audit, call)).toBe(EPERM);
    }
    expect(answer(shared, audit, 435)).toBe(ENOSYS);
    for (const flag of [0x20000, 0x2000000, 0x10000000, 0x40000000]) {
      expect(answer(shared, audit, calls.clone, [flag | 17])).toBe(EPERM);
    }
    for (const family of [0, 17, 38, 40]) expect(answer(shared, audit, calls.socket, [family])).toBe(EAFNOSUPPORT);
  });

  test('sockets with a name are refused where the network is the machine’s, pairs are not', () => {
    expect(answer(shared, audit, calls.socket, [1])).toBe(EACCES);
    expect(answer(own, audit, calls.socket, [1])).toBe(ALLOWED);
    const [stream, datagram, closed] = [1, 2, 2 | 0x80000];
    expect(answer(shared, audit, calls.socketpair, [1, stream])).toBe(ALLOWED);
    for (const type of [datagram, closed]) {
      expect(answer(shared, audit, calls.socketpair, [1, type])).toBe(EACCES);
      expect(answer(own, audit, calls.socketpair, [1, type])).toBe(ALLOWED);
    }
  });

  test('calls of another architecture end the process', () => {
    expect(answer(shared, 0x40000003, read)).toBe(KILLED);
  });
});

test('the second way of x86-64 to call everything is not there', () => {
  const filter = seccompFilter('x64', { unixSockets: false }) as Buffer;
  expect(answer(filter, 0xc000003e, 0x40000000 | 521)).toBe(ENOSYS);
});

test('there is none for an architecture that is not known', () => {
  expect(seccompFilter('riscv64', { unixSockets: false })).toBeNull();
});
