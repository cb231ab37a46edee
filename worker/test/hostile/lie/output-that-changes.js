// Returns an object that serialises differently each time.
// The serialised text counts.
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
