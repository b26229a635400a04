// Traffic light in its current state. Shows a text if the state is unknown or the connection is lost.
import { lightText as text } from "./light.text.ts";
import { TrafficLight } from "./TrafficLight.tsx";
import type { LightSnapshot } from "./useLight.ts";

/** Used before the display's appearance is loaded. */
const plain = {
  opened: { title: "", subtitle: "", color: "#2f3b3e" },
  closed: { title: "", subtitle: "", color: "#2f3b3e" },
  logo: "",
  freeSpacesText: "",
  showNumberOfPeople: false,
  restrictionTitle: "",
  restrictions: [],
};

export function CurrentLight({ display, light, isLost, isPage = false }: LightSnapshot & { isPage?: boolean }) {
  const isOff = display?.enabled === false;
  // A possibly outdated state is never shown as open.
  const isKnown = display !== null && light !== null && !isLost && !isOff;
  const isFirst = !isLost && !isOff && light === null;
  return (
    <TrafficLight
      appearance={display?.frontend ?? plain}
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
