// Progress line below the header while the demo's history is generated.
import { getDemoDataProgress } from "@psp/contract/demo/demo.api.ts";
import { Box } from "@mui/material";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../api/call.ts";
import { appText } from "./app.text.ts";

const askEveryMs = 20_000;

export function DemoProgress(): React.JSX.Element | null {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ["demo"],
    queryFn: ({ signal }) => call(getDemoDataProgress, { signal }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.progress >= 1 ? false : askEveryMs),
    retry: false,
  });
  const isMade = data === undefined || data.progress >= 1;
  const wasSeen = useRef(false);
  useEffect(() => {
    if (!isMade) wasSeen.current = true;
    else if (wasSeen.current) {
      wasSeen.current = false;
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "demo" });
    }
  }, [isMade, client]);
  // The live region must exist before its text appears, otherwise the text isn't announced.
  return (
    <Box
      role="status"
      sx={{ textAlign: "center", fontSize: "0.8125rem", color: "text.secondary", "@media print": { display: "none" } }}
    >
      {isMade ? null : (
        <Box
          component="span"
          sx={{ display: "block", px: 4, py: 1, borderBottom: 1, borderColor: "divider", bgcolor: "background.paper" }}
        >
          {appText.demoHistory(Math.floor(data.progress * 100))}
        </Box>
      )}
    </Box>
  );
}
