// Unpacks a small archive that becomes gigabytes.
// ends: memory_limit
// says: /TRAWL_RUN_MEMORY_MB/
const { gzipSync, createGunzip } = require('node:zlib');

module.exports = async () => {
  const million = gzipSync(Buffer.alloc(50_000_000));
  const all = [];
  const gunzip = createGunzip();
  gunzip.on('data', bytes => all.push(Buffer.from(bytes).fill(1)));
  for (let n = 0; n < 100; n += 1) await new Promise(resolve => gunzip.write(million, resolve));
  return all.length;
};
