// Texts that explain why a sensor can't be asked to connect to its VPN.
export const vpnReasons = {
  notEnabled: { reason: "The VPN option is not enabled on this sensor." },
  changesHands: {
    reason: "You can't connect a sensor while handing it over. Connect it afterwards.",
  },
};
