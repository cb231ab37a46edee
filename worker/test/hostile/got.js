/**
 * Makes attempts one after another and returns the names of those that succeeded. A refused attempt throws an error of the
 * system or returns `false`. Any other error is a mistake in the attempt itself, and is rethrown.
 */
module.exports = async attempts => {
  const got = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      if ((await attempt()) !== false) got.push(name);
    } catch (error) {
      const said = error.code ?? error.status ?? error.signal;
      if (said === undefined || said === null || /^ERR_(?!DLOPEN|SOCKET|SYSTEM)/.test(said)) throw error;
    }
  }
  return got;
};
