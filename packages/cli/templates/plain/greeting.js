/** @param {string} name */
exports.greetingFor = name => `Hello, ${name.trim()}`;
