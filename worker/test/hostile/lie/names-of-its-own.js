// Pretends to be another run, of another skript, on another worker.
// It changes only its own copies.
// ends: end "mine"
module.exports = () => {
  Object.assign(global.trawl, { execution_id: '00000000-0000-0000-0000-000000000000', worker: { name: 'x' } });
  try {
    global.trawl = {};
  } catch {
    // Not writable.
  }
  process.title = 'trawl-worker';
  return 'mine';
};
