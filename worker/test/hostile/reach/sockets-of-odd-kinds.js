// Opens unusual sockets: other internet protocols, kernel messages about other processes. Makes requests for which the
// kernel loads modules. The filter refuses all of them, and allows the pairs that programs need.
// ends: end ["a pair","a pair for messages"]
const got = require('../got.js');
const systemCall = require('../system-call.js');

const [UNIX, INTERNET, NETLINK, CLUSTER] = [1, 2, 16, 30];
const [STREAM, DATAGRAM, RAW, IN_ORDER] = [1, 2, 3, 5];
const socket = (...values) => systemCall('socket', ...values);
const pair = (type, family = UNIX) => systemCall('socketpair', family, type, 0, 'x');

module.exports = () =>
  got({
    'a pair': () => pair(STREAM),
    'a pair for messages': () => pair(DATAGRAM),
    'a pair of the internet': () => pair(STREAM, INTERNET),
    'a pair of messages of the kernel': () => pair(RAW, NETLINK),
    'a pair of a cluster': () => pair(STREAM, CLUSTER),
    SCTP: () => socket(INTERNET, IN_ORDER, 132),
    SMC: () => socket(INTERNET, STREAM, 256),
    MPTCP: () => socket(INTERNET, STREAM, 262),
    'UDP-Lite': () => socket(INTERNET, DATAGRAM, 136),
    ICMP: () => socket(INTERNET, DATAGRAM, 1),
    'sockets of others': () => socket(NETLINK, RAW, 4),
    'messages between processes': () => socket(NETLINK, RAW, 2),
    'the module of VLANs': () => systemCall('ioctl', 0, 0x8982, 'x'),
    'the module of bridges': () => systemCall('ioctl', 0, 0x89a0, 'x'),
    'the module of a line discipline': () => systemCall('ioctl', 0, 0x5423, 'x'),
  });
