// Shares memory between threads, outside of their heaps.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
module.exports = () => {
  const all = [];
  for (;;) {
    const shared = new SharedArrayBuffer(5_000_000);
    new Uint8Array(shared).fill(1);
    all.push(shared);
  }
};
