// Leaves a rejected promise alone that was rejected with nothing.
// ends: exception
// says: /^Unhandled rejection/
module.exports = () => {
  Promise.reject(undefined);
  return new Promise(() => setInterval(() => {}, 1000));
};
