// Bypasses the network rules with unusual sockets: a pair whose one end sends to another program's name, one that takes
// a name that others need, other internet protocols, kernel messages about other processes.
// It also asks for pairs of a family whose code the kernel would load for that.
// The filter refuses all of them, and allows the pairs that programs need.
// ends: end ["a pair"]
const got = require('../got.js');
const systemCall = require('../system-call.js');

const [UNIX, INTERNET, NETLINK, TIPC] = [1, 2, 16, 30];
const [STREAM, DATAGRAM, RAW, IN_ORDER] = [1, 2, 3, 5];
const socket = (...values) => systemCall('socket', ...values);
const pair = (type, family = UNIX) => systemCall('socketpair', family, type, 0, 'x');

module.exports = () =>
  got({
    'a pair': () => pair(STREAM),
    'a pair for messages': () => pair(DATAGRAM),
    'a pair for messages, by its other name': () => pair(RAW),
    'a pair of a rare family': () => pair(IN_ORDER, TIPC),
    'a name that others claim': () => systemCall('bind', 0, '\u0001', 23),
    SCTP: () => socket(INTERNET, IN_ORDER, 132),
    SMC: () => socket(INTERNET, STREAM, 256),
    MPTCP: () => socket(INTERNET, STREAM, 262),
    'UDP-Lite': () => socket(INTERNET, DATAGRAM, 136),
    ICMP: () => socket(INTERNET, DATAGRAM, 1),
    'sockets of others': () => socket(NETLINK, RAW, 4),
    'messages between processes': () => socket(NETLINK, RAW, 2),
  });
