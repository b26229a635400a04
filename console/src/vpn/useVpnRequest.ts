// Requests the VPN connection while the tab is open, and renews it (ADR 0026).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { cacheResponse } from "../entity/saving.ts";
import { sensor as entity, useUpdateSensor } from "../sensor/sensor.entity.ts";

const minuteMs = 60_000;
/** A request is valid for an hour, so two renewals may fail. */
const everyMinutes = 20;

const change = { connectToVPN: true };

/** Sends nothing unless `mayEdit` is true. */
export function useVpnRequest({ _id: id, vpn }: Sensor, mayEdit: boolean) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useUpdateSensor(id);
  const isAsked = vpn?.connect === true;
  const isEntered = useRef(false);
  /**
   * Minutes since the last known request. Starts one minute short of a renewal, because an earlier request may be about to
   * expire.
   */
  const minutes = useRef(everyMinutes - 1);

  const ask = () => mutate({ change }, { onSuccess: () => void (minutes.current = 0) });
  const enter = useEffectEvent(() => {
    if (isEntered.current) return;
    isEntered.current = true;
    if (!isAsked) ask();
  });
  useEffect(() => {
    if (mayEdit) enter();
  }, [mayEdit]);

  useEffect(() => {
    if (!mayEdit || !isAsked) return undefined;
    const timer = setInterval(() => {
      minutes.current += 1;
      if (minutes.current < everyMinutes) return;
      entity.update(id, change).then(
        (answer) => {
          minutes.current = 0;
          cacheResponse(client, "sensor", answer);
        },
        // Failed renewals are retried a minute later.
        () => undefined,
      );
    }, minuteMs);
    return () => clearInterval(timer);
  }, [client, id, mayEdit, isAsked]);

  // A failed request doesn't matter if someone else has requested the connection.
  return { ask, isPending, error: isAsked ? null : error };
}
