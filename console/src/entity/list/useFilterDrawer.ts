// Whether the filter drawer of a list is open. Stored per list and browser, for drawers beside the list.
import { useMediaQuery } from "@mui/material";
import { useState } from "react";
import { useMatchedPath } from "../../address/navigation.tsx";
import { useIsFilterPanelInline } from "../../ui/table/FilterDrawer.tsx";

const key = "psp-filters";
/** Below, names get the width. */
const roomy = "(min-width: 1440px)";

/** Storage content is untrusted: anything but true and false is ignored. */
function readAll(): Record<string, unknown> {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "");
    return typeof all === "object" && all !== null ? (all as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function store(list: string, isOpen: boolean): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...readAll(), [list]: isOpen }));
  } catch {
    // Storage may be full or blocked: then nothing is remembered.
  }
}

/** `isEmbedded` lists within a page start with a closed drawer and are not remembered. */
export function useFilterDrawer(isEmbedded: boolean): [open: boolean, setOpen: (open: boolean) => void] {
  const list = useMatchedPath().replace(/\/$/, "");
  const isBeside = useIsFilterPanelInline();
  const isRoomy = useMediaQuery(roomy, { noSsr: true });
  const initial = () => {
    if (!isBeside || isEmbedded) return false;
    const stored = readAll()[list];
    return typeof stored === "boolean" ? stored : isRoomy;
  };
  const [open, setOpen] = useState(initial);
  // When the window becomes narrow, an open filter column must not turn into a covering sheet.
  const width = isRoomy ? "roomy" : isBeside ? "beside" : "narrow";
  const [before, setBefore] = useState(width);
  if (before !== width) {
    setBefore(width);
    setOpen(initial);
  }
  return [
    open,
    (next) => {
      setOpen(next);
      if (isBeside && !isEmbedded) store(list, next);
    },
  ];
}
