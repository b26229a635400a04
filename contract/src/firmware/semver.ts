// The precedence of SemVer 2.0 as a text that sorts by bytes, so that the database can order versions (docs/rules/firmware.md#versions).

/**
 * Key of a valid version without `v`: keys compare bytewise as SemVer 2.0 compares the versions. Build metadata does not
 * count, so versions that differ in it alone share a key.
 */
export function semverKey(version: string): string {
  const [text = ""] = version.split("+");
  const dash = text.indexOf("-");
  const core = dash === -1 ? text : text.slice(0, dash);
  const numbers = core.split(".").map(numberKey).join("");
  // A release comes after all its pre-releases.
  return dash === -1
    ? `${numbers}~`
    : `${numbers}-${text
        .slice(dash + 1)
        .split(".")
        .map(identifierKey)
        .join("")}`;
}

/** More digits are a bigger number; a version is at most 100 characters long, so two digits say how many. */
function numberKey(digits: string): string {
  return String(digits.length).padStart(2, "0") + digits;
}

/** Numbers before words. The `!` sorts before everything a word may hold, so a word precedes those it begins. */
function identifierKey(identifier: string): string {
  return /^\d+$/.test(identifier) ? `0${numberKey(identifier)}!` : `1${identifier}!`;
}
