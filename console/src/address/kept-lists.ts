// How this browser's people like their lists: order and view of each, by its path, kept in the words of its address. Filters and pages are not.

const key = "psp-lists";
/** What is kept together: one that the address says is not mixed with one that was kept. */
const parts = [["sortBy", "sortDesc"], ["viewType"]] as const;

type Words = Record<string, string | string[]>;

const isText = (value: unknown) => typeof value === "string" && value.length <= 64;
const isWords = (value: unknown) =>
  isText(value) || (Array.isArray(value) && value.length <= 20 && value.every(isText));

/** Others may write there, too: what has another form is not there. */
function readAll(): Record<string, Words> {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "");
    return typeof all === "object" && all !== null ? (all as Record<string, Words>) : {};
  } catch {
    return {};
  }
}

const listOf = (path: string) => path.split("/", 2).join("/");

/** What was kept of the list at `path` and is not said by its address already. */
export function keptOf(path: string, said: Readonly<Record<string, unknown>>): Words {
  const kept: unknown = readAll()[listOf(path)];
  if (typeof kept !== "object" || kept === null) return {};
  const open = parts.filter(([first]) => said[first] === undefined).flat();
  return Object.fromEntries(
    Object.entries(kept).filter(([name, value]) => open.includes(name as never) && isWords(value)),
  );
}

/** Keeps what the address of the list at `path` says now; nothing where that is its default. */
export function keepList(path: string, said: Readonly<Record<string, unknown>>): void {
  const { [listOf(path)]: _before, ...others } = readAll();
  const now = parts.flat().flatMap((name) => (said[name] ? [[name, said[name]]] : []));
  const all = now.length === 0 ? others : { ...others, [listOf(path)]: Object.fromEntries(now) as Words };
  try {
    if (Object.keys(all).length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(all));
  } catch {
    // A full or closed storage: the list is as it is, and next time as it was.
  }
}
