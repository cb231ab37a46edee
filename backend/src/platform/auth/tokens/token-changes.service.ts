import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Subject } from 'rxjs';
import { PostgresNotices } from '../../database/postgres-notices.service.js';

/** Announces users whose tokens may have changed or ended, no matter which backend process made the change. */
@Injectable()
export class TokenChanges implements OnModuleDestroy {
  /** Emits the user's id, or null when changes of any user may have been missed. */
  readonly changed = new Subject<string | null>();
  readonly #subscription;

  constructor(private readonly notices: PostgresNotices) {
    this.#subscription = notices.on('trawl_callers').subscribe(this.changed);
  }

  onModuleDestroy(): void {
    this.#subscription.unsubscribe();
  }

  /** Cached tokens may be used only while this is true. */
  get isListening(): boolean {
    return this.notices.isListening;
  }

  /**
   * Announces a change that this backend process committed. The change thus takes effect in this process before the
   * response is sent.
   */
  publish(userId: string): void {
    this.changed.next(userId);
  }
}
