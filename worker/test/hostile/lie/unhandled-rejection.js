// Leaves a promise unhandled that is rejected with undefined.
// ends: exception
// says: /^Unhandled rejection/
module.exports = () => {
  Promise.reject(undefined);
  return new Promise(() => setInterval(() => {}, 1000));
};
