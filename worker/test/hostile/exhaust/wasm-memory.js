// Fills the memory of WebAssembly, page by page.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
module.exports = () => {
  const all = [];
  for (;;) {
    const memory = new WebAssembly.Memory({ initial: 160 });
    new Uint8Array(memory.buffer).fill(1);
    all.push(memory);
  }
};
