// Asks a sensor to connect to its VPN when the tab is opened, and repeats that while it stays open (ADR 0026).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { keepAnswer } from "../entity/saving.ts";
import { sensor as entity, useUpdateSensor } from "../sensor/sensor.entity.ts";

const minuteMs = 60_000;
/** A request holds for an hour; three repeats in it survive the failure of two. */
const everyMinutes = 20;

const change = { connectToVPN: true };

/** `mayEdit` false, also while it is not known yet: nothing is asked. */
export function useVpnRequest({ _id: id, vpn }: Sensor, mayEdit: boolean) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useUpdateSensor(id);
  const isAsked = vpn?.connect === true;
  const isEntered = useRef(false);
  /** Minutes since the last request that is known; one that was there before may be about to end. */
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
          keepAnswer(client, "sensor", answer);
        },
        // The sensor stays connected for a while yet: the next minute is early enough.
        () => undefined,
      );
    }, minuteMs);
    return () => clearInterval(timer);
  }, [client, id, mayEdit, isAsked]);

  // Somebody else's request is as good.
  return { ask, isPending, error: isAsked ? null : error };
}
