import { Client, type ClientConfig } from 'pg';

/**
 * A pooled connection with an error listener. While the pool hands over a connection, nothing else listens for its
 * errors for a moment. If PostgreSQL crashes in this moment, Node would exit because of an unhandled 'error' event. The
 * listener may ignore the error, because the next query on a broken connection fails anyway.
 */
export class PooledClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => {});
  }
}
