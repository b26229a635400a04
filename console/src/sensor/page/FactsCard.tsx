// A card of names and values, with a sentence above them.
import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import CardContent from "@mui/material/CardContent";
import Typography from "@mui/material/Typography";
import { Fragment, type ReactNode } from "react";

type Facts = readonly (readonly [label: string, value: ReactNode])[];
type FactsCardProps = { title: string; text?: ReactNode; facts: Facts };

/** Props: `title`, `text?`, `facts` as pairs of label and value. */
export function FactsCard({ title, text, facts }: FactsCardProps) {
  return (
    <Card component="section" aria-label={title} sx={{ maxWidth: 640 }}>
      <CardContent sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
        <Typography variant="h2">{title}</Typography>
        {text}
        <FactList facts={facts} />
      </CardContent>
    </Card>
  );
}

/** Props: `facts` as pairs of label and value. */
export function FactList({ facts }: { facts: Facts }) {
  return (
    <Box component="dl" sx={{ m: 0, display: "grid", gridTemplateColumns: "max-content 1fr", columnGap: 6, rowGap: 2 }}>
      {facts.map(([label, value]) => (
        <Fragment key={label}>
          <Box component="dt" sx={{ color: "text.secondary" }}>
            {label}
          </Box>
          <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: "anywhere" }}>
            {value}
          </Box>
        </Fragment>
      ))}
    </Box>
  );
}
