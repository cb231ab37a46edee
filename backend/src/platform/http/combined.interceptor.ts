import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { defer, from, mergeAll, type Observable } from 'rxjs';

type Result = Observable<unknown> | Promise<Observable<unknown>>;

/**
 * Runs interceptors one after the other as a single one. For each interceptor that Nest runs itself, it makes two
 * promises, an async scope and a dozen objects of RxJS in each call.
 */
export class CombinedInterceptor implements NestInterceptor {
  constructor(private readonly interceptors: NestInterceptor[]) {}

  intercept(context: ExecutionContext, next: CallHandler): Result {
    return this.#run(0, context, next);
  }

  #run(index: number, context: ExecutionContext, last: CallHandler): Result {
    const interceptor = this.interceptors[index];
    if (!interceptor) return last.handle();
    // Deferred, so that an interceptor has added its own steps before a later one throws.
    const handle = () => defer(() => flat(this.#run(index + 1, context, last)));
    return interceptor.intercept(context, { handle });
  }
}

const flat = (result: Result): Observable<unknown> =>
  result instanceof Promise ? from(result).pipe(mergeAll()) : result;
