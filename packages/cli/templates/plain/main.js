const { echo } = require('@trawl/echo');
const { greetingFor } = require('./greeting.js');

/** @param {{ name: string }} input */
module.exports = async input => {
  echo.log(greetingFor(input.name));
  return { length: input.name.length };
};
