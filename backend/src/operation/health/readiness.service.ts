import { Injectable } from '@nestjs/common';

/** Whether this backend takes new calls. Load balancers ask `/health/ready`. */
@Injectable()
export class Readiness {
  #isStopping = false;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** From now on `/health/ready` returns 503. Calls that arrive all the same are still served. */
  stop(): void {
    this.#isStopping = true;
  }
}
