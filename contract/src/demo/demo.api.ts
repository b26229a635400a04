// API call for the progress of generating demo data.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";

export const getDemoDataProgress = endpoint("getDemo", "GET", "/demo", {
  summary: "How much of the demo's past is made, from 0 to 1; 1 where there is nothing to make",
  reply: z.object({ progress: z.number().min(0).max(1) }),
});
