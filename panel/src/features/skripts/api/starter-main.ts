/** The main.js of a new skript. It runs as it is and shows each part of a skript. */
export const STARTER_MAIN = `const { echo } = require('@trawl/echo');

module.exports = async (input, inputSecret) => {
  echo.log('Hello from Trawl');
  echo.objekt({ input });

  return { message: 'This object becomes the output of the run.' };
};
`;
