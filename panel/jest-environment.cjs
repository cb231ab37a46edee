const { TestEnvironment } = require('jest-environment-jsdom');

/** A screen that fits no query, and never changes. */
const matchMedia = query => ({
  matches: false,
  media: query,
  addEventListener: () => {},
  removeEventListener: () => {},
});

/** jsdom with what it leaves out: Node's own request classes, which React Router uses, and what Mantine asks of a screen. */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, { TextEncoder, TextDecoder, Request, Response, Headers, AbortController, AbortSignal });
    this.global.matchMedia = matchMedia;
  }
};
