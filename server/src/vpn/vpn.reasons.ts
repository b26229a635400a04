// Texts that explain why a sensor can't be asked to connect to its VPN.
export const vpnReasons = {
  notEnabled: { reason: "The VPN option is not enabled on this sensor." },
  changesHands: {
    reason: "A sensor that changes hands can't be asked to connect at the same time. Ask it afterwards.",
  },
};
