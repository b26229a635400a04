// Texts of the traffic light and its pages. People who don't know the console read them from a distance.

export const lightText = {
  unknown: "The number of people is currently unknown. Please ask our staff.",
  off: "This display is turned off.",
  lost: "Connection lost, reconnecting...",
  connecting: "Connecting...",
  peopleInside: "People inside",
  states: { opened: "May enter", closed: "Please wait", unknown: "Unknown" },
  logo: "Logo",
  live: "Live preview",
  close: "Close",
  refused: "This link does not work",
  refusedText: "It is incomplete or was revoked. Ask for a new link where you got this one.",
  tryAgain: "Try again",
} as const;
