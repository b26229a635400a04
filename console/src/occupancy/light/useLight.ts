// The state of a location's light for as long as a page shows it.
import type { Display } from "@psp/contract/occupancy/occupancy.api.ts";
import { useEffect, useState } from "react";
import type { CallError } from "../../api/call.ts";
import { type Light, type LightSource, openLightChannel } from "./light-channel.ts";

export type LightNow = {
  /** How it looks; null until that is known. */
  display: Display | null;
  /** The last that was said; null before. */
  light: Light | null;
  isLost: boolean;
  /** Why it is shown no more. */
  refused: CallError | null;
};

const nothing: LightNow = { display: null, light: null, isLost: false, refused: null };

/** Both stay the same for as long as the component lives: it is keyed by them. */
export function useLight(id: string, source: LightSource): LightNow {
  const [now, setNow] = useState(nothing);
  useEffect(() => {
    const change = (part: Partial<LightNow>) => setNow((before) => ({ ...before, ...part }));
    const channel = openLightChannel(id, source, {
      onLook: (display) => change({ display }),
      onLight: (light) => change({ light }),
      onLost: (isLost) => change({ isLost }),
      onRefused: (refused) => change({ refused }),
    });
    return () => channel.stop();
  }, [id, source]);
  return now;
}
