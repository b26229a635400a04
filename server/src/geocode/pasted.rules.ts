// Parses pasted coordinates: numbers in common notations, or links to maps.

export type Point = { lat: number; lng: number };

export type PastedLocation = { point: Point } | { words: string } | null;

export function parsePasted(text: string): PastedLocation {
  const link = /(?:https?:\/\/|geo:)\S+/i.exec(text)?.[0];
  if (link !== undefined) return link.toLowerCase().startsWith("geo:") ? ofGeoUri(link) : ofMapLink(link);
  const point = ofCoordinates(text);
  return point && { point };
}

function pointOf(lat: number, lng: number): Point | null {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}

const decimal = String.raw`([+-]?\d{1,3}(?:\.\d{1,20})?)`;
const pair = new RegExp(`^\\s*(?:loc:)?${decimal}\\s*[,~]\\s*${decimal}(?![\\d.])`, "i");

function ofPair(text: string | null): Point | null {
  const found = pair.exec(text ?? "");
  return found && pointOf(Number(found[1]), Number(found[2]));
}

/** RFC 5870; Android puts the pin into `q`. */
function ofGeoUri(uri: string): PastedLocation {
  const [path = "", query = ""] = uri.slice("geo:".length).split("?");
  const q = new URLSearchParams(query).get("q");
  const point = ofPair(q) ?? (q === null ? ofPair(path) : null);
  return point ? { point } : { words: q ?? "" };
}

/** The pin of a link takes precedence over the center of its view. */
function ofMapLink(link: string): PastedLocation {
  if (!URL.canParse(link)) return { words: "" };
  const url = new URL(link);
  const path = decoded(url.pathname);
  const pin = [...`${path}${decoded(url.hash)}`.matchAll(new RegExp(`!3d${decimal}!4d${decimal}`, "g"))].at(-1);
  const query = url.searchParams;
  const separate = (lat: string, lng: string) =>
    query.has(lat) && query.has(lng) ? ofPair(`${query.get(lat)},${query.get(lng)}`) : null;
  const point =
    (pin && pointOf(Number(pin[1]), Number(pin[2]))) ??
    separate("mlat", "mlon") ??
    ["q", "query", "ll", "coordinate", "daddr", "destination", "center", "sll", "cbll", "cp"]
      .map((name) => ofPair(query.get(name)))
      .find((found) => found !== null) ??
    ofPath(path) ??
    ofView(path) ??
    ofHash(url.hash) ??
    separate("lat", "lon") ??
    separate("lat", "lng");
  return point ? { point } : { words: query.get("q") ?? query.get("query") ?? query.get("address") ?? "" };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `/maps/search/52.52,13.405` */
function ofPath(path: string): Point | null {
  return (
    path
      .split("/")
      .map(ofPair)
      .find((found) => found !== null) ?? null
  );
}

/** `/@52.52,13.405,15z` */
function ofView(path: string): Point | null {
  const at = path.indexOf("@");
  return at < 0 ? null : ofPair(path.slice(at + 1));
}

/** `#map=15/52.52/13.405` */
function ofHash(hash: string): Point | null {
  const found = new RegExp(`map=[\\d.]{1,8}/${decimal}/${decimal}`).exec(hash);
  return found && pointOf(Number(found[1]), Number(found[2]));
}

const number = String.raw`[+-]?\d{1,3}(?:[.,]\d{1,20})?`;
const small = String.raw`\d{1,2}(?:[.,]\d{1,20})?`;
const angle = String.raw`(${number})\s?(°)?\s?(?:(${small})\s?'\s?(?:(${small})\s?"\s?)?)?`;
const between = String.raw`\s?[,;/]?\s?`;
/** Compass letters, if any, are before both numbers or after both. */
const ahead = new RegExp(String.raw`^([NSEW])\s?${angle}${between}([NSEW])\s?${angle}$`);
const behind = new RegExp(String.raw`^${angle}([NSEW])?${between}${angle}([NSEW])?$`);

/** '52.52, 13.405', '52,52 13,405', '52°31′12″N 13°24′18″E', 'N 52.52 E 13.405'. */
function ofCoordinates(text: string): Point | null {
  const plain = text
    .toUpperCase()
    .replaceAll(/[′’‘´]/g, "'")
    .replaceAll(/[″”“]|''/g, '"')
    .replaceAll(/[º˚]/g, "°")
    .replaceAll(/[−–]/g, "-")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^\((.*)\)$/, "$1");
  if (plain.length > 80) return null;
  const led = ahead.exec(plain);
  const found = led ?? behind.exec(plain);
  if (!found) return null;
  const [a, b] = [found.slice(1, 6), found.slice(6, 11)];
  const [first, second] = led
    ? [angleOf(a.slice(1), a[0]), angleOf(b.slice(1), b[0])]
    : [angleOf(a.slice(0, 4), a[4]), angleOf(b.slice(0, 4), b[4])];
  // '5 10' and '12, 14' are not coordinates: at least one number needs a fraction, a degree sign or a letter.
  if (!first || !second || !(first.isMarked || second.isMarked)) return null;
  if (first.axis === null && second.axis === null) return pointOf(first.value, second.value);
  if (first.axis === "lat" && second.axis === "lng") return pointOf(first.value, second.value);
  return first.axis === "lng" && second.axis === "lat" ? pointOf(second.value, first.value) : null;
}

type Angle = { value: number; axis: "lat" | "lng" | null; isMarked: boolean };

function angleOf(
  [degrees = "", sign, minutes = "0", seconds = "0"]: (string | undefined)[],
  letter: string | undefined,
): Angle | null {
  const value = (text: string) => Number(text.replace(",", "."));
  if (value(minutes) >= 60 || value(seconds) >= 60) return null;
  const isNegative = degrees.startsWith("-");
  if (isNegative && letter !== undefined) return null;
  const size = Math.abs(value(degrees)) + value(minutes) / 60 + value(seconds) / 3600;
  // Nine decimals (a tenth of a millimeter) remove the rounding error of dividing by sixty.
  const exact = sizeIsWritten(minutes, seconds) ? size : Number(size.toFixed(9));
  return {
    value: isNegative || letter === "S" || letter === "W" ? -exact : exact,
    axis: letter === undefined ? null : "NS".includes(letter) ? "lat" : "lng",
    isMarked: letter !== undefined || sign !== undefined || /[.,]/.test(degrees),
  };
}

const sizeIsWritten = (minutes: string, seconds: string) => minutes === "0" && seconds === "0";
