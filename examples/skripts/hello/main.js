const { echo } = require('@trawl/echo');

module.exports = async input => {
  echo.log('Hello from the worker.');
  echo.warn('This is what a warning looks like.');
  echo.objekt({ node: process.version, input });
  return input;
};
