/** Works through `items` with at most `limit` under way at once. The first failure ends it. */
exports.atMost = async (limit, items, work) => {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
};
