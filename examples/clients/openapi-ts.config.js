export default {
  input: `${process.env.TRAWL_URL}/openapi.yaml`,
  output: { path: 'trawl-client', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
