// Stores order and view of each list per browser, in URL parameter format. Filters and pages are not stored.

const key = "psp-lists";
/** Parameters that are stored and restored together. */
const parts = [["sortBy", "sortDesc"], ["viewType"]] as const;

type StoredParameters = Record<string, string | string[]>;

const isText = (value: unknown) => typeof value === "string" && value.length <= 64;
const isParameter = (value: unknown) =>
  isText(value) || (Array.isArray(value) && value.length <= 20 && value.every(isText));

/** Storage content is untrusted: entries in other formats are ignored. */
function readAll(): Record<string, StoredParameters> {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "");
    return typeof all === "object" && all !== null ? (all as Record<string, StoredParameters>) : {};
  } catch {
    return {};
  }
}

const listOf = (path: string) => path.split("/", 2).join("/");

/** Stored parameters of the list at `path` that its URL doesn't set. */
export function readListState(path: string, parameters: Readonly<Record<string, unknown>>): StoredParameters {
  const kept: unknown = readAll()[listOf(path)];
  if (typeof kept !== "object" || kept === null) return {};
  const open = parts.filter(([first]) => parameters[first] === undefined).flat();
  return Object.fromEntries(
    Object.entries(kept).filter(([name, value]) => open.includes(name as never) && isParameter(value)),
  );
}

/** Stores order and view of the list at `path`, or removes the entry if both are defaults. */
export function storeListState(path: string, parameters: Readonly<Record<string, unknown>>): void {
  const { [listOf(path)]: _before, ...others } = readAll();
  const now = parts.flat().flatMap((name) => (parameters[name] ? [[name, parameters[name]]] : []));
  const all = now.length === 0 ? others : { ...others, [listOf(path)]: Object.fromEntries(now) as StoredParameters };
  try {
    if (Object.keys(all).length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(all));
  } catch {
    // Storage may be full or blocked: then nothing is remembered.
  }
}
