// Texts of the set-up card.
export const setUpText = {
  title: "Set up",
  progress: (done: number, of: number) => `${done} of ${of} done`,
  done: "Done",
  dismiss: "Dismiss",
  dismissed: "Set-up card dismissed",
  undo: "Undo",
  failed: "The setting could not be saved",
  claim: {
    title: "Register a sensor",
    text: "Scan the QR code on its label or type the code.",
    action: "Register sensor",
  },
  place: {
    title: "Assign it to a location",
    text: "Counts are recorded for the location of the sensor.",
    action: "Create location",
    choose: "Choose its location",
  },
  counts: {
    title: "See the counts",
    text: "The first counts arrive a few minutes after a sensor starts.",
    action: "Open counts",
  },
  monitoring: {
    title: "Turn on monitoring",
    text: "Get an email when a sensor goes offline, is covered, or restarts too often.",
    action: "Open monitoring",
  },
  colleague: {
    title: "Invite a colleague",
    text: "Everyone gets their own login. A role decides what they can do.",
    action: "Invite colleague",
    create: "Create account",
  },
} as const;
