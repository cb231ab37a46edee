// Connects to local addresses: cloud metadata, private networks, link-local.
// Each connection is refused at once.
// ends: end []
const { connect } = require('node:net');
const got = require('../got.js');

const HOSTS = [
  '169.254.169.254',
  '169.254.170.2',
  'fd00:ec2::254',
  '100.100.100.200',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'ff02::1',
  'ff02::1%eth0',
  '::ffff:169.254.169.254',
  '::ffff:10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
];

const connects = options =>
  new Promise((resolve, reject) => connect(options).once('connect', resolve).once('error', reject));

module.exports = () => got(Object.fromEntries(HOSTS.map(host => [host, () => connects({ host, port: 80 })])));
