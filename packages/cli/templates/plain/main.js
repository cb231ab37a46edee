const { echo } = require('@trawl/echo');
const { dataset } = require('@trawl/storage');
const { greetingFor } = require('./greeting.js');

/** @param {{ name: string }} input */
module.exports = async input => {
  const greeting = greetingFor(input.name);
  echo.log(greeting);
  await dataset.push({ name: input.name, greeting });
  return { length: input.name.length };
};
