// One line of text that is cut with an ellipsis where it doesn't fit, and only then has a tooltip with the whole.
import { styled } from "@mui/material/styles";
import type { ReactNode } from "react";
import { useTip } from "./feedback/Tip.tsx";

const Line = styled("span")({
  display: "block",
  overflow: "hidden",
  textOverflow: "ellipsis",
  whiteSpace: "nowrap",
  minWidth: 0,
});

export function Ellipsis({ children }: { children: ReactNode }) {
  const { handlers, tip } = useTip((element) =>
    element.scrollWidth > element.clientWidth ? (element.textContent ?? undefined) : undefined,
  );
  return (
    <>
      <Line {...handlers}>{children}</Line>
      {tip}
    </>
  );
}
