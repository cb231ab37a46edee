// Replaces the functions that read and write JSON, numbers and bytes.
// The worker checks whatever arrives.
// ends: output_not_json | process_ended | exception | time_limit
// time: 2000
module.exports = () => {
  JSON.stringify = () => '{"run":1,"t":"settled","output":"{{{"}';
  JSON.parse = () => ({ run: 1, t: 'stop' });
  Buffer.byteLength = () => 0;
  Number.isInteger = () => true;
  return { mine: true };
};
