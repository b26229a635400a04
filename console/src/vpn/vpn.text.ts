// Texts of a sensor's VPN tab; some are fixed (docs/rules/remote-access.md#fixed-texts).
export const vpnText = {
  title: "VPN",
  words: {
    ERROR: "Error",
    NOT_CONNECTED: "Not connected",
    PENDING: "Pending",
    CONNECTED: "Connected",
    SLEEPING: "Sleeping",
  },
  server: "VPN server",
  address: "VPN address",
  publicAddress: "Public address",
  since: "Connected since", // fixed
  until: "Connected until",
  noServer: "No VPN server is set up, so the sensor can't connect.",

  requestFailed: "Requesting the sensor to connect failed.", // fixed
  tryAgain: "Try again", // fixed
  noLink: "Unable to construct a link", // fixed

  asking: "Requesting a connection",
  connecting: {
    connected: "The sensor is connecting. This usually takes less than a minute.",
    recentContact:
      "The sensor is not connected right now. It connects to the VPN the next time it contacts PS.Platform.",
    disconnected: "The sensor is offline. It connects to the VPN as soon as it is back online.",
  },
  leaving: "The sensor is leaving the VPN.",
  progress: "Connecting to the VPN",
  notAsked: "The sensor is not connected to the VPN.",
  sleeping: "The sensor left the VPN because it was no longer needed.",
  noEdit: "To connect this sensor, you need permission to edit it.",
  connect: "Connect",

  connected: "The sensor is connected to the VPN.",
  opensSoon: (seconds: number) => `The configuration page opens in ${seconds} seconds.`,
  opensIn: (seconds: number) => `The configuration page opens in ${seconds} s`,
  cancel: "Cancel",
  open: "Open configuration page",
  opened: "The configuration page opened in a new window.",
  blocked: "Your browser blocked the new window. Open the configuration page with the link below.",
} as const;
