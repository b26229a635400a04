// Field for tags of locations, which suggests the existing ones, so that a group keeps one spelling.
import { listLocationTags } from "@psp/contract/location/location.api.ts";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useMemo, useState } from "react";
import { call } from "../api/call.ts";
import { ChipsField } from "../ui/choice/ChipsField.tsx";
import { locationText } from "./location.text.ts";

export function TagsField(props: Omit<ComponentProps<typeof ChipsField>, "suggestions" | "onSuggest">) {
  const [isWanted, setWanted] = useState(false);
  const { data } = useQuery({
    queryKey: ["measurement", "total", "tags"],
    queryFn: ({ signal }) => call(listLocationTags, { query: {}, signal }),
    enabled: isWanted,
  });
  const suggestions = useMemo(
    () =>
      (data ?? []).map(({ tag, count }) => ({
        text: tag,
        note: locationText.tagNumber(count),
        noteLabel: locationText.tagCount(count),
      })),
    [data],
  );
  return <ChipsField {...props} suggestions={suggestions} onSuggest={() => setWanted(true)} />;
}
