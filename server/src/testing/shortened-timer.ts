// Shortens one fixed pause of the product, in tests that would mostly wait for it.

/** Timers of exactly `ms` run after `toMs`. Returns a function that ends this; call it in `afterAll`. */
export function shortenTimer(kind: "setTimeout" | "setInterval", ms: number, toMs: number): () => void {
  const original = globalThis[kind];
  const shortened = (work: () => void, given?: number, ...more: unknown[]): NodeJS.Timeout =>
    Reflect.apply(original, globalThis, [work, given === ms ? toMs : given, ...more]);
  Reflect.set(globalThis, kind, Object.assign(shortened, original));
  return () => void Reflect.set(globalThis, kind, original);
}
