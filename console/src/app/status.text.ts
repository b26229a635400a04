// Texts of the status page. Apart from app.text.ts, which the login loads.
export const statusText = {
  title: "Status",
  works: "PS.Platform is working",
  worksText: "The service and its database respond.",
  notReady: "PS.Platform is not ready",
  notReadyText: "The service is starting, or its database does not respond. Loading and saving don't work right now.",
  unreachable: "PS.Platform can't be reached",
  unreachableText: "The service does not respond, or your connection is interrupted.",
  asking: "Checking …",
  service: "Service version",
  page: "Page version",
  checked: "Last checked",
  again: "Check again",
  unknown: "unknown",
  older: "This page and the service have different versions. Reload to update.",
  reload: "Reload",
} as const;
