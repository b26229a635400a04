// A question mark that explains a term on hover, focus or press.
import HelpOutlineRounded from "~icons/ic/round-help-outline";
import { visuallyHidden } from "../visuallyHidden.ts";
import { RichTip } from "./RichTip.tsx";

export function Explain({ term, children }: { term: string; children: string }) {
  return (
    <RichTip content={children}>
      <HelpOutlineRounded aria-hidden sx={{ fontSize: 16, m: "4px", color: "text.secondary" }} />
      <span style={visuallyHidden}>{`What does “${term}” mean?`}</span>
    </RichTip>
  );
}
