// Ids, MACs, versions and tokens in the mono face.
import { styled } from "@mui/material/styles";
import { monoFont } from "../theme/theme.ts";

/** A span in the mono face; takes any span props. */
export const Mono = styled("span")({
  fontFamily: monoFont,
  fontSize: "0.929em",
  fontVariantLigatures: "none",
  letterSpacing: "-0.01em",
  overflowWrap: "anywhere",
});
