// Puts functions of its own in place of those that write to the worker.
// The worker sees a run that says nothing, until its time is up or its process ends.
// ends: process_ended | time_limit | exception
// time: 1500
const fs = require('node:fs');

module.exports = () => {
  fs.writeSync = () => 0;
  fs.write = () => {};
  fs.readSync = () => 0;
  Buffer.from = () => Buffer.alloc(0);
  return 'never heard';
};
