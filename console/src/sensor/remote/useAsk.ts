// Asks a sensor to run a function and waits; the answer is handed over once and kept nowhere (SE-11, spec 2 §7).
import type { Replied } from "@psp/contract/kit/endpoint.ts";
import { type RemoteFunction, remoteTimeoutMs, requestSensor } from "@psp/contract/sensor/sensor.remote.api.ts";
import { useCallback, useEffect, useRef, useState } from "react";
import { call } from "../../api/call.ts";

export type RemoteAnswer = Replied<typeof requestSensor>;
export type Ask = {
  /** The function that is being waited for. */
  asking: RemoteFunction | null;
  /** Resolves with the answer, or null when the page was left meanwhile; throws CallError. */
  ask: (func: RemoteFunction, options?: object) => Promise<RemoteAnswer | null>;
};

/** One question at a time to the sensor with this id. */
export function useAsk(id: string): Ask {
  const [asking, setAsking] = useState<RemoteFunction | null>(null);
  const open = useRef<AbortController | null>(null);
  useEffect(() => () => open.current?.abort(), [id]);
  const ask = useCallback(
    async (func: RemoteFunction, options?: object) => {
      const controller = new AbortController();
      open.current = controller;
      setAsking(func);
      try {
        const data = options === undefined ? "" : btoa(JSON.stringify(options));
        const body = { func, data, timeout: remoteTimeoutMs };
        return await call(requestSensor, { params: { id }, body, signal: controller.signal });
      } catch (error) {
        if (controller.signal.aborted) return null;
        throw error;
      } finally {
        if (!controller.signal.aborted) setAsking(null);
      }
    },
    [id],
  );
  return { asking, ask };
}
