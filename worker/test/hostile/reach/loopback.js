// Connects to a server on the machine, with every spelling of its address.
// No connection succeeds.
// ends: end []
const { lookup } = require('node:dns/promises');
const { connect } = require('node:net');
const got = require('../got.js');

const HOSTS = [
  '127.0.0.1',
  '127.1.2.3',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  'ip6-localhost',
  'localhost.localdomain',
  'test.localhost',
];

const connects = options =>
  new Promise((resolve, reject) => connect(options).once('connect', resolve).once('error', reject));

module.exports = ({ outside }) => {
  const hosts = [...HOSTS, ...outside.addresses];
  const { port } = outside;
  return got(
    Object.fromEntries([
      ...hosts.map(host => [host, () => connects({ host, port })]),
      ...hosts.map(host => [
        `${host} by http`,
        async () => {
          const failed = error => {
            throw error.cause ?? error;
          };
          await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/`).catch(failed);
        },
      ]),
      [
        'a name of its own',
        async () => {
          const address = (await lookup('localhost')).address;
          return connects({ host: address, port });
        },
      ],
      [
        'by a program',
        () =>
          require('node:child_process').execFileSync(
            'perl',
            ['-MIO::Socket::INET', '-e', `exit !IO::Socket::INET->new("127.0.0.1:${port}")`],
            { stdio: 'ignore' },
          ),
      ],
      ['from another address', () => connects({ host: '127.0.0.1', port, localAddress: '127.0.0.9' })],
    ]),
  );
};
