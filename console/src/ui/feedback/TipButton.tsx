// A word whose tooltip holds information found nowhere else on the page: a button, so that keyboard, touch and screen readers
// reach it.
import { type ReactNode, useContext } from "react";
import rows from "../theme/rows.module.css";
import { cutText } from "../Ellipsis.tsx";
import { RowStop } from "../table/row/rowStop.ts";
import { useTip } from "./Tip.tsx";

type TipButtonProps = {
  says: string;
  /** Accessible name, if it includes both texts; otherwise `says` becomes the description. */
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
