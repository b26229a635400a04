// Query for the sessions on a device page, refetched when a live message about the sensor arrives.
import { listRemoteSessions } from "@psp/contract/remote-access/remote-access.api.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../api/call.ts";

export const sessionsKey = (id: string) => ["sensor", "remote sessions", id];

export function useRemoteSessions(id: string) {
  const client = useQueryClient();
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ type, query }) => {
        const [noun, part, of] = query.queryKey;
        // The server announces each start and end of a session as a change of the sensor.
        if (type === "updated" && noun === "sensor" && part === "one" && of === id)
          void client.invalidateQueries({ queryKey: sessionsKey(id) });
      }),
    [client, id],
  );
  return useQuery({
    queryKey: sessionsKey(id),
    queryFn: ({ signal }) => call(listRemoteSessions, { params: { id }, signal }),
    staleTime: 0,
  });
}
