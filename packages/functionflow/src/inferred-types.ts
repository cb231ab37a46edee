import type { FlowEntry } from './steps.js';

/**
 * Type of `this` for signatures that infer the types of `x` from the functions: `Flow` if `X` is `unknown`, which is the
 * default, otherwise `never`. If `x` has a type, even `any`, each function must accept and return that type.
 */
export type IfUntyped<X, Flow> = 0 extends 1 & X ? never : unknown extends X ? Flow : never;

/**
 * Up to eight functions in series, each of which gets the result of the one before. The types of those that are missing
 * are the same as the last one's.
 */
export type Series<L, A, B, C, D, E, F, G, H, I> = readonly [
  FlowEntry<A, L, B>,
  FlowEntry<B, L, C>?,
  FlowEntry<C, L, D>?,
  FlowEntry<D, L, E>?,
  FlowEntry<E, L, F>?,
  FlowEntry<F, L, G>?,
  FlowEntry<G, L, H>?,
  FlowEntry<H, L, I>?,
];

/** The names that `serialEach` and `serialRepeat` add to `lib`. */
export type EachLib<L, T> = L & { serialEachElement: T; serialEachKey: number };
export type RepeatLib<L> = L & { serialRepeatIteration: number };
