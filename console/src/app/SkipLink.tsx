// The first thing the Tab key finds: past the header, straight to the content.
import { styled } from "@mui/material/styles";
import { appText } from "./app.text.ts";

const Skip = styled("a")(({ theme }) => ({
  position: "fixed",
  top: 8,
  left: 8,
  zIndex: theme.zIndex.tooltip,
  padding: "8px 12px",
  borderRadius: 6,
  backgroundColor: theme.vars.palette.primary.main,
  color: theme.vars.palette.primary.contrastText,
  fontWeight: 600,
  transform: "translateY(-200%)",
  "&:focus": { transform: "none" },
}));

export function SkipLink() {
  return (
    <Skip
      href="#content"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("content")?.focus();
      }}
    >
      {appText.skip}
    </Skip>
  );
}
