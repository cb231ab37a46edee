export default {
  trawl: {
    input: `${process.env.TRAWL_URL}/openapi.yaml`,
    output: {
      target: 'trawl-api.ts',
      client: 'fetch',
      override: {
        mutator: { path: 'trawl-fetch.ts', name: 'trawlFetch', extension: '.js' },
        fetch: { includeHttpResponseReturnType: false },
      },
    },
  },
};
