// Throws a value that is not an Error, outside of its promise.
// ends: exception
// says: /^Uncaught exception/
module.exports = () => {
  setTimeout(() => {
    throw Object.create(null);
  });
  return new Promise(() => setInterval(() => {}, 1000));
};
