// Every sentence of a sensor's VPN tab; some are fixed (docs/rules/remote-access.md#fixed-texts).
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
  noServer: "This platform has no VPN server, so there is nothing that the sensor could connect to.",

  requestFailed: "Requesting the sensor to connect failed.", // fixed
  tryAgain: "Try again", // fixed
  noLink: "Unable to construct a link", // fixed

  asking: "Asking the sensor to connect",
  connecting: {
    open: "The sensor was asked to connect. This usually takes less than a minute.",
    quiet: "The sensor has no open connection right now. It connects to the VPN when it reports again.",
    away: "The sensor is offline. It connects to the VPN as soon as it is back.",
  },
  leaving: "The sensor is leaving the VPN.",
  progress: "Connecting to the VPN",
  notAsked: "The sensor is not asked to connect.",
  sleeping: "The sensor was in the VPN and left it, because no one asked for it any more.",
  noEdit: "Only people who may edit this sensor can ask it to connect.",
  connect: "Connect",

  connected: "The sensor is in the VPN.",
  opensSoon: (seconds: number) => `The configuration page opens in ${seconds} seconds.`,
  opensIn: (seconds: number) => `The configuration page opens in ${seconds} s`,
  cancel: "Cancel",
  open: "Open configuration page",
  opened: "The configuration page was opened in a new window.",
  blocked: "The browser did not let the configuration page open by itself. Open it with the link below.",
} as const;
