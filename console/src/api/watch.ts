// Which counts are on the screen: the server sends no others (docs/rules/live-channel.md#watched-counts).
import { maxWatched } from "@psp/contract/live/channel.ts";
import type { Watch } from "@psp/contract/live/live.ts";
import { useEffect } from "react";

/** Objects whose counts are shown; `any` for sums over everything that may be seen. */
export type Watched = Partial<Watch>;

const shown = new Set<Watched>();
const listeners = new Set<() => void>();
let announcing = false;

/** All that is shown now, each once. More than the server takes are watched as `any`. */
export function watchedNow(): Watch {
  const all = [...shown];
  const of = (part: "measIDs" | "sensorIDs") => [...new Set(all.flatMap((one) => one[part] ?? []))].toSorted();
  const [measIDs, sensorIDs] = [of("measIDs"), of("sensorIDs")];
  const isMany = measIDs.length > maxWatched || sensorIDs.length > maxWatched;
  return {
    measIDs: measIDs.slice(0, maxWatched),
    sensorIDs: sensorIDs.slice(0, maxWatched),
    any: isMany || all.some((one) => one.any === true),
  };
}

/** Once for all that a step to another page takes away and brings. */
function announce(): void {
  if (announcing) return;
  announcing = true;
  setTimeout(() => {
    announcing = false;
    for (const listener of listeners) listener();
  });
}

/** Calls back when what is shown has changed; ends with what it returns. */
export function onWatchedChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Until the returned function is called. */
export function watchCounts(watched: Watched): () => void {
  shown.add(watched);
  announce();
  return () => {
    shown.delete(watched);
    announce();
  };
}

/** While the component is shown, counts of these objects are kept right: queries below `["datapoint", …]`. */
export function useWatchedCounts(watched: Watched): void {
  const text = JSON.stringify(watched);
  useEffect(() => watchCounts(JSON.parse(text) as Watched), [text]);
}
