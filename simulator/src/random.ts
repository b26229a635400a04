// Seeded random numbers, independent of call order.

/** Hash function for 32-bit integers. */
function scramble(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

export function mixSeeds(...parts: number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) hash = scramble((hash ^ part) + 0x9e3779b9);
  return hash >>> 0;
}

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return scramble(hash);
}

/** A generator of numbers in [0, 1), deterministic per seed. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return scramble(state) / 4294967296;
  };
}

export function drawPoisson(mean: number, draw: () => number): number {
  if (mean <= 0) return 0;
  if (mean > 40) {
    const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const limit = Math.exp(-mean);
  let product = draw();
  let happened = 0;
  while (product > limit) {
    happened++;
    product *= draw();
  }
  return happened;
}
