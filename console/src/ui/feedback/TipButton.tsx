// A word whose tooltip has information found nowhere else on the page. It is a button, so that keyboard, touch and screen readers
// can reach the information.
import { type ReactNode, useContext } from "react";
import rows from "../theme/rows.module.css";
import { truncatedText } from "../Ellipsis.tsx";
import { RowTabIndex } from "../table/row/rowTabIndex.ts";
import { useTip } from "./Tip.tsx";

type TipButtonProps = {
  text: string;
  /** Accessible name that includes both texts. Without it, `text` becomes the accessible description. */
  label?: string;
  children: ReactNode;
};

export function TipButton({ text, label, children }: TipButtonProps) {
  const { handlers, open, tip } = useTip((element) => {
    const cut = truncatedText(element);
    return cut === undefined ? text : `${cut}: ${text}`;
  });
  const tabIndex = useContext(RowTabIndex);
  return (
    <>
      <button
        type="button"
        className={rows["tipButton"]}
        tabIndex={tabIndex}
        {...(label === undefined ? { "aria-description": text } : { "aria-label": label })}
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
