// A word whose tooltip says what nothing else on the page does: a button, so that keys, fingers and screen readers get it, too.
import { type ReactNode, useContext } from "react";
import rows from "../../theme/rows.module.css";
import { cutText } from "../Ellipsis.tsx";
import { RowStop } from "../table/row/rowStop.ts";
import { useTip } from "./Tip.tsx";

type ToldProps = {
  /** What the tooltip says. */
  told: string;
  /** The name of the button, where it says both; otherwise `told` is its description. */
  label?: string;
  children: ReactNode;
};

export function Told({ told, label, children }: ToldProps) {
  const { handlers, open, tip } = useTip((element) => {
    const cut = cutText(element);
    return cut === undefined ? told : `${cut}: ${told}`;
  });
  const tabIndex = useContext(RowStop);
  return (
    <>
      <button
        type="button"
        className={rows["told"]}
        tabIndex={tabIndex}
        {...(label === undefined ? { "aria-description": told } : { "aria-label": label })}
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
