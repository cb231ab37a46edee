/**
 * Makes attempts, one after the other, and names those that came through. One that is refused throws what the system
 * says, or gives `false`; any other error is a mistake in the attempt itself, and is thrown on.
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
