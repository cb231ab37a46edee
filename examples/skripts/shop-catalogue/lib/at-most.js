/** Processes `items` with a concurrency of `limit`. The first failure stops it. */
exports.atMost = async (limit, items, work) => {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
};
