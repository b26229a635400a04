// Words of the set-up card.
export const setUpText = {
  title: "Set up",
  progress: (done: number, of: number) => `${done} of ${of} done`,
  done: "Done",
  dismiss: "Dismiss",
  dismissed: "The set-up card is dismissed",
  undo: "Undo",
  failed: "The setting could not be saved",
  claim: {
    title: "Register a sensor",
    text: "Scan the QR code on its label, or type the code.",
    action: "Register sensor",
  },
  place: {
    title: "Put it at a location",
    text: "Counts belong to the place where they were made.",
    action: "Create location",
    choose: "Choose its location",
  },
  counts: {
    title: "See the counts",
    text: "The first ones come minutes after a sensor has started.",
    action: "Open counts",
  },
  monitoring: {
    title: "Switch on monitoring",
    text: "It mails when a sensor goes offline, is covered, or restarts too often.",
    action: "Open monitoring",
  },
  colleague: {
    title: "Invite a colleague",
    text: "Everybody gets a login of their own, and may do what its role says.",
    action: "Create account",
  },
} as const;
