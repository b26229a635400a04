// Content-Disposition for downloads (RFC 6266).

const longestName = 150;

/**
 * Replaces characters that file systems refuse, or that hide the extension, by hyphens. Clients that read only ASCII get underscores
 * for other characters.
 */
export function toContentDisposition(fileName: string): string {
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
