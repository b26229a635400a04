// The rank of a compared row, or why it has none.
import { Box } from "@mui/material";
import { Tip } from "../../ui/feedback/Tip.tsx";
import { compareText as text } from "./compare-counts.text.ts";

export function RankMark({ rank, isClosed = false }: { rank: number | null; isClosed?: boolean }) {
  if (rank !== null) return <Rank rank={rank} />;
  return isClosed ? (
    <Mark word={text.closed} tip={text.closedTip} />
  ) : (
    <Mark word={text.incomplete} tip={text.incompleteTip} />
  );
}

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

const Mark = ({ word, tip }: { word: string; tip: string }) => (
  <Tip text={tip}>
    <Box component="span" aria-description={tip} sx={{ flex: "none", color: "text.secondary", fontWeight: 400 }}>
      {word}
    </Box>
  </Tip>
);
