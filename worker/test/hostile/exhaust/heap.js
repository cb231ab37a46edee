// Fills the heap with arrays.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
module.exports = () => {
  const all = [];
  for (;;) all.push(new Array(10_000).fill(all.length));
};
