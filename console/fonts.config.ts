// Removes unused weights and alternative glyphs from the fonts of a build (ADR 0027).
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import type { Plugin } from "vite";
import { writeAtomically } from "./compressed.config.ts";

type SubsetFont = (
  font: Buffer,
  text: string,
  options: { targetFormat: "woff2"; keepFeatures: string[]; variationAxes: { wght: Record<string, number> } },
) => Promise<Buffer>;
/** The package has no types. */
const subsetFont = createRequire(import.meta.url)("subset-font") as SubsetFont;

const cache = resolve(import.meta.dirname, "../.cache/fonts");
/** Weights of the theme; bolder text uses the maximum (ui/theme/theme.ts). */
const weights = { min: 400, max: 700, default: 400 };
/** Font features to keep: kerning, accents, language variants and tabular digits. No style uses the others. */
// cspell:disable-next-line
const keepFeatures = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"];

/** Characters that suffice for most texts. Browsers load the rest of a font only when a text needs it. */
const common = "U+0020-007E, U+00A0, U+00A9, U+00B0, U+00B7, U+00D7, U+200B, U+2013-2014, U+2018-201D, U+2026, U+2212";
const isLatin = /-latin-wght-/;

/** Vite plugin: replaces the fonts of the Fontsource packages with smaller files that render the same text. */
export function fonts(): Plugin {
  return {
    name: "fonts",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /@fontsource-variable[\\/].*\.css$/ },
      async handler(code, id) {
        const rules = await Promise.all(code.split(/(?=@font-face)/).map((rule) => lighter(rule, dirname(id))));
        return { code: rules.join("\n"), map: null };
      },
    },
  };
}

/** Returns one `@font-face` rule, or two if the font is split into a common subset and the rest. */
async function lighter(rule: string, folder: string): Promise<string> {
  const file = /url\(([^)]+\.woff2)\)/.exec(rule)?.[1];
  const range = /unicode-range: ([^;]+);/.exec(rule)?.[1];
  if (file === undefined || range === undefined) return rule;
  const font = await readFile(join(folder, file));
  const first = isLatin.test(file) ? pointsOf(common) : [];
  const ruleOf = async (name: string, characters: string, points: number[]) =>
    rule
      .replace(file, (await subset(font, name, points)).replaceAll("\\", "/"))
      .replace(range, characters)
      .replace(/font-weight: [^;]+;/, `font-weight: ${weights.min} ${weights.max};`);
  const rest = pointsOf(range).filter((point) => !first.includes(point));
  const rules = [ruleOf(basename(file), range, rest)];
  // Where ranges overlap, browsers use the last rule.
  if (first.length > 0) rules.push(ruleOf(basename(file).replace(isLatin, "-common-wght-"), common, first));
  return (await Promise.all(rules)).join("\n");
}

/** Returns the path of the cached subset. It keeps the file name of the font, by which preload.config.ts finds it. */
async function subset(font: Buffer, name: string, points: readonly number[]): Promise<string> {
  const how = JSON.stringify([weights, keepFeatures, points]);
  const hash = createHash("sha256").update(font).update(how).digest("hex").slice(0, 16);
  const kept = join(cache, hash, name);
  if ((await readFile(kept).catch(() => null)) !== null) return kept;
  await mkdir(dirname(kept), { recursive: true });
  const options = { targetFormat: "woff2" as const, keepFeatures, variationAxes: { wght: weights } };
  await writeAtomically(kept, await subsetFont(font, String.fromCodePoint(...points), options));
  return kept;
}

function pointsOf(range: string): number[] {
  return range.split(",").flatMap((one) => {
    const [first = "", last = first] = one.trim().replace(/^U\+/i, "").split("-");
    const from = Number.parseInt(first, 16);
    return Array.from({ length: Number.parseInt(last, 16) - from + 1 }, (_, n) => from + n);
  });
}
