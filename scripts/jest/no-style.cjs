// Stands for a style sheet in tests.
module.exports = {};
