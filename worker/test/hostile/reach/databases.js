// Connects to the databases of the platform, which run on the same machine.
// No connection succeeds.
// ends: end []
const { connect } = require('node:net');
const got = require('../got.js');

const connects = options =>
  new Promise((resolve, reject) => connect(options).once('connect', resolve).once('error', reject));

module.exports = ({ outside }) => {
  const ports = [...outside.databases, 5432, 27017, 6379];
  const hosts = ['127.0.0.1', '::1', 'localhost', ...outside.addresses];
  const attempts = hosts.flatMap(host => ports.map(port => [`${host}:${port}`, () => connects({ host, port })]));
  const sockets = [
    '/var/run/postgresql/.s.PGSQL.5432',
    '/tmp/.s.PGSQL.5432',
    '/tmp/mongodb-27017.sock',
    '/var/run/docker.sock',
  ];
  return got(Object.fromEntries([...attempts, ...sockets.map(path => [path, () => connects({ path })])]));
};
