// Fills memory outside the heap, where the limit of the heap does not hold.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
module.exports = () => {
  const all = [];
  for (;;) all.push(Buffer.alloc(1_000_000, all.length));
};
