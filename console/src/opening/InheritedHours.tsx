// The hours that a location without own ones gets from its owner account.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Alert, Box, Skeleton } from "@mui/material";
import { CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { useDefaultHours, useOpeningDays } from "./opening.queries.ts";
import { openingText as text } from "./opening.text.ts";
import { OpeningPreview } from "./OpeningPreview.tsx";
import { OpeningSummary } from "./OpeningSummary.tsx";
import { todayIn } from "./today.ts";

/** A stored location that inherits, by which the hours are found even if its owner is not visible. */
export type Inheriting = { id: string; version: number; ownerId: string };

type Inherited = { hours: OpeningHours | null | undefined; error: unknown };

/** `hours` are undefined while loading, and null if the location is always open. */
export function useInheritedHours(ownerId: string | null, stored: Inheriting | null): Inherited {
  const isStored = stored !== null && stored.ownerId === ownerId;
  const byLocation = useOpeningDays(stored?.id ?? "", stored?.version ?? 0, isStored);
  const byOwner = useDefaultHours(ownerId, null, !isStored);
  const { data, error } = isStored ? byLocation : byOwner;
  return { hours: data?.openingHours, error };
}

export function InheritedHours({ hours, error, timeZone }: Inherited & { timeZone: string | null }) {
  if (error instanceof CallError && error.status === 404) return <Said words={text.hiddenDefault} />;
  if (error) return <Alert severity="error">{`${text.loadFailed}. ${failureText(error)}`}</Alert>;
  if (hours === undefined) return <Skeleton variant="rounded" height={40} />;
  if (hours === null) return <Said words={text.noDefault} />;
  return (
    <Box sx={{ display: "grid", gap: 4 }}>
      <OpeningSummary hours={hours} />
      <OpeningPreview hours={hours} today={todayIn(timeZone)} />
    </Box>
  );
}

const Said = ({ words }: { words: string }) => <Box sx={{ color: "text.secondary" }}>{words}</Box>;
