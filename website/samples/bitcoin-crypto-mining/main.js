const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const UNITS_PER_COIN = 100_000_000;
const EASIEST_TARGET = 0xffffn << 208n;
const round = (number, places) => Number(number.toFixed(places));

/** The number that a block's hash may not exceed. `bits` is an exponent of one byte and a mantissa of three, in hex. */
const targetOf = bits => BigInt(`0x${bits.slice(2)}`) << (8n * (BigInt(`0x${bits.slice(0, 2)}`) - 3n));

/** What a miner wrote beside the height, as far as it is readable. The height takes the first four bytes. */
const messageOf = script =>
  Buffer.from(script, 'hex')
    .subarray(4)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '')
    .trim() || null;

module.exports = async ({ base_url, from, to, chain, pools }) => {
  const seen = [];
  for (let height = from; height <= to; height += 1) {
    const source_url = `${base_url}/heights/${height}.json`;
    const { data } = await axios.get(source_url);
    if (data.length > 1) echo.warn(`Height ${height} has ${data.length} blocks: all but one will be stale.`);
    seen.push(...data.map(block => ({ ...block, source_url })));
  }

  // From the tip back to the start, each block names the one before it. What is not on that path is stale.
  const byHash = new Map(seen.map(block => [block.hash, block]));
  const path = new Map();
  let block = seen.findLast(({ height }) => height === to);
  while (block) {
    path.set(block.hash, block);
    block = byHash.get(block.prev);
  }
  if (path.size !== to - from + 1)
    throw new Error(`The chain breaks: ${path.size} linked blocks from ${from} to ${to}. Nothing is stored.`);

  const rows = seen.map(({ hash, height, prev, time, bits, n_tx, coinbase, source_url }) => {
    const target = targetOf(bits);
    const difficulty = Number((EASIEST_TARGET * 1_000n) / target) / 1_000;
    const subsidy = chain.first_subsidy / 2 ** Math.floor(height / chain.halving_blocks);
    const reward = coinbase.value / UNITS_PER_COIN;
    const coinbase_text = messageOf(coinbase.script);
    const tag = Object.keys(pools).find(name => coinbase_text?.toLowerCase().includes(name));
    if (BigInt(`0x${hash}`) > target) throw new Error(`Block ${hash} misses its own target. Nothing is stored.`);
    if (reward < subsidy) echo.warn(`Block ${height} claims less than its subsidy.`);
    return {
      chain: chain.name,
      height,
      block_hash: hash,
      previous_hash: prev,
      mined_at: new Date(time * 1_000).toISOString().replace('.000', ''),
      gap_seconds: byHash.has(prev) ? time - byHash.get(prev).time : null,
      bits,
      difficulty,
      hash_rate_ths: round((difficulty * 2 ** 32) / chain.target_seconds / 1e12, 3),
      transactions: n_tx,
      subsidy,
      fees: round(reward - subsidy, 8),
      fee_percent: round((100 * (reward - subsidy)) / reward, 2),
      coinbase_text,
      pool: pools[tag] ?? null,
      stale: !path.has(hash),
      confirmations: path.has(hash) ? to - height + 1 : 0,
      source_url,
    };
  });
  await mongo.collection('blocks').insertMany(rows.reverse());
  const unnamed = rows.filter(({ pool }) => pool === null).length;
  return { stored: rows.length, stale: rows.length - path.size, without_pool: unnamed };
};
