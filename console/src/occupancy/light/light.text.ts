// Sentences of the traffic light and of its pages; they are read from a distance, by people who have never seen the console.

export const lightText = {
  unknown: "The number of people is not known at the moment. Please ask our staff.",
  off: "This display is switched off.",
  lost: "Connection lost, reconnecting...",
  connecting: "Connecting...",
  peopleInside: "People inside",
  states: { opened: "May enter", closed: "Please wait", unknown: "Not known" },
  logo: "Logo",
  live: "Live preview",
  close: "Close",
  refused: "This link does not work",
  refusedText: "It is not complete, or it was revoked. Please ask for a new link where you got this one.",
  tryAgain: "Try again",
} as const;
