// A word whose tooltip says what nothing else on the page does: a button, so that keys, fingers and screen readers get it, too.
import { type ReactNode, useContext } from "react";
import rows from "../theme/rows.module.css";
import { cutText } from "../Ellipsis.tsx";
import { RowStop } from "../table/row/rowStop.ts";
import { useTip } from "./Tip.tsx";

type TipButtonProps = {
  /** What the tooltip says. */
  says: string;
  /** The name of the button, where it says both; otherwise `says` is its description. */
  label?: string;
  children: ReactNode;
};

export function TipButton({ says, label, children }: TipButtonProps) {
  const { handlers, open, tip } = useTip((element) => {
    const cut = cutText(element);
    return cut === undefined ? says : `${cut}: ${says}`;
  });
  const tabIndex = useContext(RowStop);
  return (
    <>
      <button
        type="button"
        className={rows["tipButton"]}
        tabIndex={tabIndex}
        {...(label === undefined ? { "aria-description": says } : { "aria-label": label })}
        {...handlers}
        onClick={(event) => {
          event.stopPropagation();
          open(event.currentTarget);
        }}
      >
        {children}
      </button>
      {tip}
    </>
  );
}
