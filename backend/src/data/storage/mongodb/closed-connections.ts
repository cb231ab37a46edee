import { Connection } from './driver-internals.js';

/**
 * Mends a defect of the driver: a command that it writes to a socket that has just closed waits forever for the
 * socket's `drain` event. If this command is a heartbeat, the driver never connects to MongoDB again. With this change,
 * a connection that closes fails the commands that wait for its socket (decision 285).
 */
const { cleanup } = Connection.prototype;
Connection.prototype.cleanup = function (error) {
  // An error of the socket leads here again.
  if (this.closed) return;
  cleanup.call(this, error);
  // A command that found the connection open writes, and begins to wait, before the next turn of the event loop.
  setImmediate(() => this.socket.emit('error', error));
};
