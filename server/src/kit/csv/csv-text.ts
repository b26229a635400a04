// Decodes an uploaded CSV file: detects its encoding, and reads the `sep=` line that names the delimiter.
import type { Delimiter } from "./csv-reader.ts";

/** `read` can be called repeatedly. */
export type CsvFile = { read(): AsyncIterable<Uint8Array> };
export type Encoding = "utf-8" | "windows-1252" | "utf-16le" | "utf-16be";

/** Bytes used to detect UTF-16 without a byte order mark. */
const sampleBytes = 512;

/**
 * Detects UTF-16 by its byte order mark or zero bytes, and UTF-8 if the whole file is valid. Otherwise returns Windows-1252, in
 * which any byte is valid.
 */
export async function detectEncoding(file: CsvFile): Promise<Encoding> {
  const wide = wideEncodingOf(await beginningOf(file));
  if (wide) return wide;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const part of file.read()) if (!decodes(decoder, part)) return "windows-1252";
  return decodes(decoder) ? "utf-8" : "windows-1252";
}

async function beginningOf(file: CsvFile): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of file.read()) {
    parts.push(part);
    length += part.length;
    if (length >= sampleBytes) break;
  }
  return Buffer.concat(parts).subarray(0, sampleBytes);
}

/** Headings are mostly ASCII, so every second byte of UTF-16 is zero. Other encodings hardly contain zeros. */
function wideEncodingOf(sample: Buffer): "utf-16le" | "utf-16be" | null {
  if (sample[0] === 0xff && sample[1] === 0xfe) return "utf-16le";
  if (sample[0] === 0xfe && sample[1] === 0xff) return "utf-16be";
  const pairs = Math.floor(sample.length / 2);
  if (pairs < 4) return null;
  const zeros = (offset: 0 | 1) => {
    let count = 0;
    for (let at = offset; at < pairs * 2; at += 2) if (sample[at] === 0) count += 1;
    return count / pairs;
  };
  const [high, low] = [zeros(0), zeros(1)];
  if (low > 0.5 && high < 0.1) return "utf-16le";
  return high > 0.5 && low < 0.1 ? "utf-16be" : null;
}

function decodes(decoder: TextDecoder, part?: Uint8Array): boolean {
  try {
    decoder.decode(part, { stream: part !== undefined });
    return true;
  } catch {
    return false;
  }
}

/** Yields the text without its byte order mark and without the first `skipped` characters. */
export async function* decodeChunks(file: CsvFile, encoding: Encoding, skipped = 0): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  let left = skipped;
  const rest = (text: string) => {
    const kept = text.slice(left);
    left -= text.length - kept.length;
    return kept;
  };
  for await (const part of file.read()) yield rest(decoder.decode(part, { stream: true }));
  yield rest(decoder.decode());
}

export type SepLine = { length: number; delimiter: Delimiter | null };

/** Parses a first line such as `sep=;`, which spreadsheets interpret and hide. `delimiter` is null if it is not supported. */
export function parseSepLine(head: string): SepLine {
  const [line, sign] = /^"?sep=([^\r\n])"?[ \t]*(?:\r\n|\r|\n|$)/i.exec(head) ?? [""];
  return { length: line.length, delimiter: sign === ";" || sign === "," || sign === "\t" ? sign : null };
}
