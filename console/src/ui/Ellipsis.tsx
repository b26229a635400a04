// One line of text that is cut with an ellipsis where it doesn't fit, and only then has a tooltip with the whole.
import type { ReactNode } from "react";
import rows from "./theme/rows.module.css";
import { useTip } from "./feedback/Tip.tsx";
import { useMarked } from "./Marked.tsx";

/** The whole text of what is cut here or in something inside; undefined where all of it is seen. */
export function cutText(element: HTMLElement): string | undefined {
  const isReached = element.matches(":focus-visible");
  const inside = [...element.querySelectorAll<HTMLElement>("*")];
  // The pointer finds the tips of parts itself; keys reach only the whole.
  const parts = [element, ...inside.filter((part) => isReached || part.closest("[data-tip]") === element)];
  return parts.some((part) => part.scrollWidth > part.clientWidth && getComputedStyle(part).display !== "inline")
    ? element.innerText.replaceAll(/\s+/g, " ").trim()
    : undefined;
}

export function Ellipsis({ children }: { children: ReactNode }) {
  const { handlers, tip } = useTip(cutText);
  return (
    <>
      <span className={rows["line"]} {...handlers}>
        {useMarked(children)}
      </span>
      {tip}
    </>
  );
}
