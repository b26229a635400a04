// Remembers what is chosen in a list as long as its filters stay the same; paging and sorting keep it.
import { useState } from "react";
import { emptySelection, type Selection } from "./Selection.ts";

/** The selection under these filters, and how to change it; under other filters nothing is chosen. (spec 1 §4) */
export function useSelection(filters: object): [Selection, (selection: Selection) => void] {
  const key = JSON.stringify(filters);
  const [kept, setKept] = useState<{ key: string; selection: Selection }>({ key, selection: emptySelection });
  return [kept.key === key ? kept.selection : emptySelection, (selection) => setKept({ key, selection })];
}
