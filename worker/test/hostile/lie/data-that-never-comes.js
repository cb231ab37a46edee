// Announces the data of a storage call and does not send it, so that its own result counts as that data.
// ends: process_ended
const { writeSync } = require('node:fs');

module.exports = () => {
  writeSync(4, '{"bytes":500000,"run":1,"t":"storage","call":1,"op":{"method":"find","collection":"a"}}\n');
  return 'mine';
};
