// Returns more than an output may have.
// ends: output_too_large
module.exports = () => 'x'.repeat(3_000_000);
