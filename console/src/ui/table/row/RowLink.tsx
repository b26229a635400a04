// A row's name as a real link, which can be opened in a new tab and copied.
import type { KeyboardEvent, ReactNode } from "react";
import rows from "../../theme/rows.module.css";
import { truncatedText } from "../../Ellipsis.tsx";
import { useTip } from "../../feedback/Tip.tsx";
import { Name } from "./Name.tsx";
import { isPlainClick } from "../../plainClick.ts";

type RowLinkProps = {
  variant: "row" | "card";
  href: string;
  tabIndex: number;
  onOpen: () => void;
  onFocus?: () => void;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  children: ReactNode;
};

export function RowLink({ variant, href, tabIndex, onOpen, onFocus, onKeyDown, children }: RowLinkProps) {
  const { handlers, tip } = useTip(truncatedText);
  return (
    <>
      <a
        className={rows["rowLink"]}
        {...handlers}
        data-row-link={variant}
        {...(variant === "card" && { "data-row-focus": "" })}
        href={href}
        tabIndex={tabIndex}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          onFocus?.();
          handlers.onFocus(event);
        }}
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          onOpen();
        }}
      >
        {typeof children === "string" ? <Name>{children}</Name> : children}
      </a>
      {tip}
    </>
  );
}
