// The popup of a tooltip, above its element.
import { Popper } from "@mui/material";
import { styled } from "@mui/material/styles";
import type { ReactNode } from "react";

const Bubble = styled("div")(({ theme }) => ({
  backgroundColor: "#1d2827",
  color: "#f3f7f6",
  fontSize: "0.75rem",
  lineHeight: "16px",
  padding: "6px 8px",
  borderRadius: 5,
  maxWidth: 320,
  margin: 4,
  overflowWrap: "anywhere",
  ...theme.applyStyles("dark", { backgroundColor: "#2c3938" }),
}));

type Props = {
  id: string;
  anchor: HTMLElement;
  children: ReactNode;
  onPointerEnter: () => void;
  onPointerLeave: () => void;
};

export function TipBubble({ id, anchor, children, ...handlers }: Props) {
  return (
    <Popper open id={id} anchorEl={anchor} placement="top" sx={{ zIndex: "tooltip" }}>
      <Bubble {...handlers}>{children}</Bubble>
    </Popper>
  );
}
