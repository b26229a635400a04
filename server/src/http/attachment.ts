// The header that makes an answer a file with a name (RFC 6266).

const longestName = 150;

/**
 * The value of Content-Disposition for a file of this name, whose last dot begins its ending. Characters that a file system
 * refuses, or that hide how a name ends, become hyphens; programs that know ASCII only get underscores for others.
 */
export function attachment(fileName: string): string {
  const dot = fileName.lastIndexOf(".");
  const clean = fileName.toWellFormed().replaceAll(/[\\/:*?"<>|\p{C}]/gu, "-");
  const name = Array.from(clean.slice(0, dot)).slice(0, longestName).join("") + clean.slice(dot);
  const ascii = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\x20-\x7e]|%/g, "_");
  if (ascii === name) return `attachment; filename="${name}"`;
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, toHex)}`;
}

function toHex(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
