// Sends datagrams to a server on the machine, and opens sockets that see or make packets of any kind.
// No datagram arrives (which the server counts), and no such socket opens.
// ends: end []
const { createSocket } = require('node:dgram');
const { execFileSync } = require('node:child_process');
const got = require('../got.js');

const sends = (type, host, port) => () =>
  new Promise(resolve => {
    const socket = createSocket(type);
    socket.on('error', () => resolve(false));
    // The server outside counts what arrives.
    socket.send('hello', port, host, () => {
      socket.close();
      resolve(false);
    });
  });

/** Opens a socket of a family and type. */
const opens =
  (family, type, protocol = 0) =>
  () =>
    execFileSync('perl', ['-MSocket', '-e', `exit !socket(my $s, ${family}, ${type}, ${protocol})`], {
      stdio: 'ignore',
    });

module.exports = ({ outside }) =>
  got({
    'to the machine': sends('udp4', '127.0.0.1', outside.port),
    'by its name': sends('udp4', 'localhost', outside.port),
    'by the other protocol': sends('udp6', '::1', outside.port),
    'by its own address': sends('udp4', outside.addresses[0] ?? '127.0.0.1', outside.port),
    'to everyone': sends('udp4', '255.255.255.255', outside.port),
    'any packet': opens(17, 3, 768),
    'raw ones': opens(2, 3, 255),
    'those of a virtual machine': opens(40, 1),
    'of the kernel’s own ciphers': opens(38, 5),
    bluetooth: opens(31, 3, 1),
  });
