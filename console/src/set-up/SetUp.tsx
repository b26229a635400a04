// Loads the set-up card. It is shown only to users with something to set up (ADR 0006).
import { getSetUp, type SetUp as Answer } from "@psp/contract/set-up/set-up.api.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { lazyComponent } from "../address/lazyPage.ts";
import { call } from "../api/call.ts";
import { type Can, useCan } from "../api/session/useCan.ts";
import { isWorthShowing, setUpKey, stepsOf } from "./steps.ts";

/** If the card fails to load, the page works without it. */
const SetUpCard = lazyComponent(
  "SetUpCard",
  () => import("./SetUpCard.tsx"),
  () => null,
);

const isOver = (can: Can, answer: Answer | undefined) =>
  answer !== undefined && (answer.facts === null || !isWorthShowing(stepsOf(can, answer.facts)));

type SetUpProps = {
  /** Whether the card is below a list, where it never moves the rows. */
  below?: boolean;
  /** True until the content above has its final height. Until then, the card isn't rendered. */
  waits?: boolean;
  children?: ReactNode;
};

export function SetUp({ below = false, waits = false, children }: SetUpProps) {
  const can = useCan();
  const { data, isPending } = useQuery({
    queryKey: setUpKey,
    queryFn: ({ signal }) => call(getSetUp, { signal }),
    // Stops refetching once everything is done.
    enabled: ({ state }) => !isOver(can, state.data),
    staleTime: 0,
    gcTime: Infinity,
    retry: false,
  });
  if (waits || isPending) return children === undefined ? null : <span data-page-loading="" hidden />;
  if (data === undefined || data.facts === null || isOver(can, data)) return children;
  return (
    <Suspense>
      <SetUpCard steps={stepsOf(can, data.facts)} below={below} />
      {children}
    </Suspense>
  );
}
