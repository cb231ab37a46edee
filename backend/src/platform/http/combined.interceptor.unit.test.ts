import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { finalize, lastValueFrom, of, tap } from 'rxjs';
import { CombinedInterceptor } from './combined.interceptor.js';

const context = {} as ExecutionContext;
let told: string[] = [];
beforeEach(() => {
  told = [];
});

/** Tells when it runs, when it sees the answer, and when the call is over. */
const telling = (name: string): NestInterceptor => ({
  intercept: (_, next) => {
    told.push(name);
    return next.handle().pipe(
      tap(answer => told.push(`${name} sees ${answer}`)),
      finalize(() => told.push(`${name} ends`)),
    );
  },
});
const async = ({ intercept }: NestInterceptor): NestInterceptor => ({
  intercept: async (...call) => intercept(...call),
});
const answer = async (interceptors: NestInterceptor[], next: CallHandler) =>
  lastValueFrom(await new CombinedInterceptor(interceptors).intercept(context, next));

it('runs interceptors in their order, whether they answer at once or later', async () => {
  const handler = { handle: () => of('ok').pipe(finalize(() => told.push('handler ends'))) };
  expect(await answer([telling('a'), async(telling('b')), telling('c')], handler)).toBe('ok');
  expect(told.slice(0, 6)).toEqual(['a', 'b', 'c', 'c sees ok', 'b sees ok', 'a sees ok']);
  expect(told.slice(6).sort()).toEqual(['a ends', 'b ends', 'c ends', 'handler ends']);
});

it.each([
  ['throws', () => refuse()],
  ['rejects', async () => refuse()],
])('ends the earlier interceptors and runs none of the later ones if one %s', async (_, intercept) => {
  const handler = { handle: () => of('ok') };
  await expect(answer([telling('a'), { intercept }, telling('c')], handler)).rejects.toThrow('refused');
  expect(told).toEqual(['a', 'a ends']);
});

function refuse(): never {
  throw new Error('refused');
}
