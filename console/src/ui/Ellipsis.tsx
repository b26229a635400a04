// One line of text, truncated with an ellipsis; if truncated, a tooltip shows the whole text.
import type { ReactNode } from "react";
import rows from "./theme/rows.module.css";
import { useTip } from "./feedback/Tip.tsx";
import { useHighlight } from "./SearchHighlight.tsx";

/** The element's text if the element, or one inside it, is truncated; otherwise undefined. */
export function truncatedText(element: HTMLElement): string | undefined {
  const isReached = element.matches(":focus-visible");
  const inside = [...element.querySelectorAll<HTMLElement>("*")];
  // Under the pointer, inner elements show their own tooltips. Keyboard focus reaches only the outer element.
  const parts = [element, ...inside.filter((part) => isReached || part.closest("[data-tip]") === element)];
  return parts.some((part) => part.scrollWidth > part.clientWidth && getComputedStyle(part).display !== "inline")
    ? element.innerText.replaceAll(/\s+/g, " ").trim()
    : undefined;
}

export function Ellipsis({ children }: { children: ReactNode }) {
  const { handlers, tip } = useTip(truncatedText);
  return (
    <>
      <span className={rows["line"]} {...handlers}>
        {useHighlight(children)}
      </span>
      {tip}
    </>
  );
}
