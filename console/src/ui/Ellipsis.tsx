// One line of text that is cut with an ellipsis where it doesn't fit, and only then has a tooltip with the whole.
import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { useTip } from "./Tip.tsx";

/** Props: `children` the text. */
export function Ellipsis({ children }: { children: ReactNode }) {
  const { handlers, tip } = useTip((element) =>
    element.scrollWidth > element.clientWidth ? (element.textContent ?? undefined) : undefined,
  );
  return (
    <>
      <Box
        component="span"
        {...handlers}
        sx={{ display: "block", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap", minWidth: 0 }}
      >
        {children}
      </Box>
      {tip}
    </>
  );
}
