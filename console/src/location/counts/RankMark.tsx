// The rank of a compared row, or why it has none.
import { Box } from "@mui/material";
import { Tip } from "../../ui/feedback/Tip.tsx";
import { compareText as text } from "./compare-counts.text.ts";

export const RankMark = ({ rank }: { rank: number | null }) => (rank === null ? <Incomplete /> : <Rank rank={rank} />);

const Rank = ({ rank }: { rank: number }) => (
  <Box
    component="span"
    aria-label={text.rank(rank)}
    role="img"
    sx={{ flex: "none", minWidth: 20, color: "text.secondary", fontWeight: 400, fontVariantNumeric: "tabular-nums" }}
  >
    {rank}
  </Box>
);

const Incomplete = () => (
  <Tip text={text.incompleteTip}>
    <Box
      component="span"
      aria-description={text.incompleteTip}
      sx={{ flex: "none", color: "text.secondary", fontWeight: 400 }}
    >
      {text.incomplete}
    </Box>
  </Tip>
);
