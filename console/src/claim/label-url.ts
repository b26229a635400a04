// Registration links of labels in the form of this console (docs/rules/claiming.md#scanning).
import { paths } from "../address/paths.ts";

/** `#/sensor/register?code=…`, used by older labels. */
export function hashQuery(hash: string): string | null {
  const prefix = `#${paths.registerSensors}?`;
  return hash.startsWith(prefix) ? hash.slice(prefix.length) : null;
}

/**
 * Converts a label URL to the current form: `/#/sensor/register?c=A` becomes `/sensor/register?code=A`. A single parameter name keeps
 * the order of codes. Null if the URL already has this form.
 */
export function toCurrentUrl(url: URL): string | null {
  const old = url.pathname === "/" ? hashQuery(url.hash) : null;
  const isScreen = url.pathname === paths.registerSensors || url.pathname.startsWith(`${paths.registerSensors}/`);
  if (old === null && !(isScreen && url.searchParams.has("c"))) return null;
  const params = [...new URLSearchParams(old ?? url.search)].map(([name, value]) => [
    name === "c" ? "code" : name,
    value,
  ]);
  return `${old === null ? url.pathname : paths.registerSensors}?${new URLSearchParams(params).toString()}`;
}
