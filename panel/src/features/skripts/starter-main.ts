/** What a new skript begins with: it runs as it is, and shows each part once. */
export const STARTER_MAIN = `const { echo } = require('@trawl/echo');

module.exports = async (input, inputSecret) => {
  echo.log('Hello from Trawl');
  echo.objekt({ input });

  return { message: 'What is returned here becomes the output of the run.' };
};
`;
