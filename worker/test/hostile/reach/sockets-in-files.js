// Connects to Unix sockets: in a world-readable folder, with an abstract name, of services.
// None is visible.
// ends: end []
const { connect } = require('node:net');
const got = require('../got.js');

const connects = path => () =>
  new Promise((resolve, reject) => connect({ path }).once('connect', resolve).once('error', reject));

module.exports = ({ outside }) =>
  got({
    'in a folder': connects(outside.socket),
    'by an abstract name': connects(`\0${outside.abstract_socket}`),
    'of the system': connects('/run/dbus/system_bus_socket'),
    'of containers': connects('/var/run/docker.sock'),
    'of the service manager': connects('/run/systemd/private'),
  });
