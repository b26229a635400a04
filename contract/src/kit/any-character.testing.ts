// Any character for random texts. The unit "binary" of fast-check lists all code points first, which takes seconds.
import fc from "fast-check";

const surrogates = { from: 0xd800, count: 0x800 };

export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((n) => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count));
