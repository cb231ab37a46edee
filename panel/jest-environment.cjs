const { TestEnvironment } = require('jest-environment-jsdom');

/** jsdom with Node's own request classes, which React Router uses and jsdom leaves out. */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, { TextEncoder, TextDecoder, Request, Response, Headers, AbortController, AbortSignal });
  }
};
