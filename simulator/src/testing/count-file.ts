// Generates CalIt2 count files with their irregularities.
import { seededRandom } from "../random.ts";

export type GeneratedCountFile = { text: string; totalIn: number; totalOut: number };

/**
 * Generates both flows for `days` local days of 48 half hours, starting at `from` (year, month, day). `strayReturns`
 * adds two stray carriage returns.
 */
export function generateCountFile({
  from,
  days,
  strayReturns = false,
}: {
  from: [number, number, number];
  days: number;
  strayReturns?: boolean;
}): GeneratedCountFile {
  const draw = seededRandom(42);
  const lines: string[] = [];
  const sums = { in: 0, out: 0 };
  for (let halfHour = 0; halfHour < days * 48; halfHour++) {
    const local = new Date(Date.UTC(from[0], from[1] - 1, from[2]) + halfHour * 1_800_000);
    const two = (value: number): string => String(value).padStart(2, "0");
    const stamp = `${two(local.getUTCMonth() + 1)}/${two(local.getUTCDate())}/${two(local.getUTCFullYear() % 100)},${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:00`;
    const busy = local.getUTCHours() >= 8 && local.getUTCHours() < 18 ? 20 : 1.5;
    const [out, entered] = [Math.floor(draw() * busy), Math.floor(draw() * busy)];
    sums.in += entered;
    sums.out += out;
    lines.push(`7,${stamp},${out}`, `9,${stamp},${entered}`);
  }
  if (strayReturns) {
    lines[20] += "\r";
    lines.splice(60, 0, "\r");
  }
  return { text: `${lines.join("\n")}\n`, totalIn: sums.in, totalOut: sums.out };
}
