// Calls itself without end.
// ends: exception
// says: /RangeError/
const deeper = () => deeper() + 1;

module.exports = () => deeper();
