// Throws outside its promise, something that is no error.
// ends: exception
// says: /^Uncaught exception/
module.exports = () => {
  setTimeout(() => {
    throw Object.create(null);
  });
  return new Promise(() => setInterval(() => {}, 1000));
};
