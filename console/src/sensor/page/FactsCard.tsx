// A card of names and values, with a sentence above them.
import type { ReactNode } from "react";
import { type Facts, FactList } from "../../ui/FactList.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";

/** Props: `title`, `text?`, `facts` as pairs of label and value. */
export function FactsCard({ title, text, facts }: { title: string; text?: ReactNode; facts: Facts }) {
  return (
    <SectionCard title={title} sx={{ maxWidth: 640 }}>
      {text}
      <FactList facts={facts} />
    </SectionCard>
  );
}
