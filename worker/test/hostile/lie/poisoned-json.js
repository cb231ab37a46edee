// Puts functions of its own in place of those that write and read JSON, numbers and bytes.
// What arrives is checked as what anyone may have sent.
// ends: output_not_json | process_ended | exception | time_limit
// time: 2000
module.exports = () => {
  JSON.stringify = () => '{"run":1,"t":"settled","output":"{{{"}';
  JSON.parse = () => ({ run: 1, t: 'stop' });
  Buffer.byteLength = () => 0;
  Number.isInteger = () => true;
  return { mine: true };
};
