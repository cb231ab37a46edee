import { Client, type ClientConfig } from 'pg';

/**
 * A connection of the pool. One that breaks is told to whoever asks something of it; but from the pool to who takes it
 * there is a moment in which nobody listens, and Node ends a process for an error that nobody hears. A PostgreSQL that
 * dies right after it has taken a connection hits it.
 */
export class PooledClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => {});
  }
}
