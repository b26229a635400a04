// Encodes SemVer 2.0 precedence in a sort key that is compared byte by byte, so that the database can order versions
// (docs/rules/firmware.md#versions).

/** Sort key of a valid version without `v`. Versions that differ only in build metadata share a key. */
export function semverKey(version: string): string {
  const [text = ""] = version.split("+");
  const dash = text.indexOf("-");
  const core = dash === -1 ? text : text.slice(0, dash);
  const numbers = core.split(".").map(numberKey).join("");
  // `~` sorts after `-`, so a release sorts after its pre-releases.
  return dash === -1
    ? `${numbers}~`
    : `${numbers}-${text
        .slice(dash + 1)
        .split(".")
        .map(identifierKey)
        .join("")}`;
}

/** The length prefix makes longer numbers sort later. It has two digits, because a version has at most 100 characters. */
function numberKey(digits: string): string {
  return String(digits.length).padStart(2, "0") + digits;
}

/**
 * Numeric identifiers sort before alphanumeric ones. The `!` sorts before every allowed character, so that a shorter identifier
 * sorts before a longer one that starts with it.
 */
function identifierKey(identifier: string): string {
  return /^\d+$/.test(identifier) ? `0${numberKey(identifier)}!` : `1${identifier}!`;
}
