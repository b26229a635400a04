// The light as it is now: its words while nothing is known, and what says that the line is cut.
import { lightText as text } from "./light.text.ts";
import { TrafficLight } from "./TrafficLight.tsx";
import type { LightNow } from "./useLight.ts";

/** Before it is known how the location's display looks. */
const plain = {
  opened: { title: "", subtitle: "", color: "#2f3b3e" },
  closed: { title: "", subtitle: "", color: "#2f3b3e" },
  logo: "",
  freeSpacesText: "",
  showNumberOfPeople: false,
  restrictionTitle: "",
  restrictions: [],
};

export function Shown({ display, light, isLost, isPage = false }: LightNow & { isPage?: boolean }) {
  const isOff = display?.enabled === false;
  // What may no longer be true lets no one in.
  const isKnown = display !== null && light !== null && !isLost && !isOff;
  const isFirst = !isLost && !isOff && light === null;
  return (
    <TrafficLight
      look={display?.frontend ?? plain}
      name={display?.name ?? ""}
      timeZone={display?.timezone ?? null}
      state={isKnown ? light.state : "unknown"}
      count={light?.count ?? 0}
      maxObjects={light?.maxObjects ?? 0}
      unknownWords={isOff ? `${text.off} ${text.unknown}` : isFirst ? text.connecting : text.unknown}
      notice={isLost ? text.lost : undefined}
      isPage={isPage}
    />
  );
}
