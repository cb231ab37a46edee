// Says that it is another run, of another skript, on another worker.
// These are copies for its own use; the run stays the run it is.
// ends: end "mine"
module.exports = () => {
  Object.assign(global.trawl, { execution_id: '00000000-0000-0000-0000-000000000000', worker: { name: 'x' } });
  try {
    global.trawl = {};
  } catch {
    // Not to be replaced.
  }
  process.title = 'trawl-worker';
  return 'mine';
};
