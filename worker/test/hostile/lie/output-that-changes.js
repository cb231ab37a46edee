// Returns an object that is something else each time that it is written.
// What was written is what counts.
// ends: end {"n":1} | end {"n":2} | output_not_json
module.exports = () => {
  let n = 0;
  return {
    toJSON: () => {
      n += 1;
      return n > 2 ? { toJSON() {} } : { n };
    },
  };
};
