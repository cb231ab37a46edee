// Recurses for ever.
// ends: exception
// says: /RangeError/
const deeper = () => deeper() + 1;

module.exports = () => deeper();
