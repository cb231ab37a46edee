import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const WEBSITE = join(__dirname, '../../..');
const DOCUSAURUS = join(WEBSITE, '../node_modules/@docusaurus/core/bin/docusaurus.mjs');
const CONFIG = `import { pageSources } from '../../src/plugins/sources/page-sources';
import { platformAddress } from '../../src/plugins/remark/platform-address';

const platformUrl = process.env.PLATFORM_URL;
export default {
  title: 'Two addresses',
  url: platformUrl,
  baseUrl: '/',
  future: { faster: true, v4: true },
  plugins: [pageSources],
  presets: [['classic', {
    docs: false,
    blog: false,
    pages: { beforeDefaultRemarkPlugins: [[platformAddress, { platformUrl }]] },
  }]],
};
`;

test('the website build does not reuse a cached page that was built for another platform URL', async () => {
  // Create the test site in the website's folder, so that it uses the same packages.
  mkdirSync(join(WEBSITE, 'dist'), { recursive: true });
  const site = mkdtempSync(join(WEBSITE, 'dist/site-'));
  try {
    mkdirSync(join(site, 'src/pages'), { recursive: true });
    writeFileSync(join(site, 'docusaurus.config.ts'), CONFIG);
    writeFileSync(join(site, 'package.json'), '{}');
    writeFileSync(join(site, 'src/pages/index.mdx'), '# Call\n\n```\ncurl {platform}/ip\n```\n');
    for (const address of ['https://one.example.com', 'https://two.example.com']) {
      const env = { ...process.env, NODE_ENV: 'production', PLATFORM_URL: address };
      await promisify(execFile)(process.execPath, [DOCUSAURUS, 'build'], { cwd: site, env });
      expect(readFileSync(join(site, 'build/index.html'), 'utf8')).toContain(`curl ${address}/ip`);
    }
  } finally {
    rmSync(site, { recursive: true, force: true });
  }
}, 120_000);
