// Tracks the state of a location's light while the component is mounted.
import type { Display } from "@psp/contract/occupancy/occupancy.api.ts";
import { useEffect, useState } from "react";
import type { CallError } from "../../api/call.ts";
import { type Light, type LightSource, openLightChannel } from "./light-channel.ts";

export type LightSnapshot = {
  display: Display | null;
  light: Light | null;
  isLost: boolean;
  refused: CallError | null;
};

const nothing: LightSnapshot = { display: null, light: null, isLost: false, refused: null };

/** `id` and `source` must not change while the component is mounted, so give it a React key. */
export function useLight(id: string, source: LightSource): LightSnapshot {
  const [now, setNow] = useState(nothing);
  useEffect(() => {
    const change = (part: Partial<LightSnapshot>) => setNow((before) => ({ ...before, ...part }));
    const channel = openLightChannel(id, source, {
      onDisplay: (display) => change({ display }),
      onLight: (light) => change({ light }),
      onLost: (isLost) => change({ isLost }),
      onRefused: (refused) => change({ refused }),
    });
    return () => channel.stop();
  }, [id, source]);
  return now;
}
