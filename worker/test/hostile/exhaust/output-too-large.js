// Returns an output that is too large.
// ends: output_too_large
module.exports = () => 'x'.repeat(3_000_000);
