const under = (folder: string, names: string): string[] => names.split(' ').map(name => `${folder}/${name}`);

/** Routes that the site must have. It may have more routes. */
export const SPECIFIED_ROUTES = [
  '/',
  ...under('', 'platform services pricing faq contact sign-up docs docs/joint-api'),
  ...under('/legal', 'privacy-policy terms-of-service'),
  ...under('/services', 'web-scraping image-text-extraction-ocr document-data-mining mobile-app-scraping'),
  ...under('/services', 'deep-web-scraping price-monitoring brand-monitoring assets-monitoring product-matching'),
  ...under('/services', 'ai-sentiment-analysis machine-learning scraping-scripts-development'),
  ...under('/services', 'data-mining-apps-development chrome-extension-development daas-data-as-a-service'),
  ...under('/services', 'trawl-joint-api real-time-data bitcoin-crypto-mining'),
  ...under(
    '/industries',
    'ecommerce finance travel healthcare marketing logistics recruitment real-estate legal insurance',
  ),
  ...under('/docs/tech', 'platform-architecture workers skripts skript-execution echo-messages'),
  ...under('/docs/web-panel', 'dashboard workers skripts execute-skript skript-executions echoes scheduler storage'),
  ...under('/docs/web-panel', 'exporters joint-api'),
  ...under('/docs/joint-api', 'workers-routes skripts-routes skript-files-routes inputs-routes input-secrets-routes'),
  ...under('/docs/joint-api', 'execute-skript-single-worker-routes skript-executions-routes storage-mongodb-routes'),
  ...under('/docs/libs', 'trawl-cli functionflow echo'),
  '/docs/tutorials/develop-skript',
  ...under(
    '',
    'changelog industries legal docs/install docs/tech docs/web-panel docs/libs docs/tutorials docs/recipes',
  ),
];
