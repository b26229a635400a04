// Personas of the demo and the tests: names, rights and logins.

export type PersonaName = "support" | "operator" | "customer" | "customerChild" | "readonly" | "noLicense";

/** One public password for all of them, which is why the demo listens on this machine only. */
const password = "violet-harbour-lantern";

export const personas: Record<PersonaName, { email: string; password: string; account: string; description: string }> =
  {
    support: {
      email: "support@demo.example.com",
      password,
      account: "PS Support",
      description: "sees and manages everything",
    },
    operator: {
      email: "operator@demo.example.com",
      password,
      account: "Northwind Dealers",
      description: "a dealer with many customers",
    },
    customer: {
      email: "customer@demo.example.com",
      password,
      account: "Harbour Stores",
      description: "a shop chain with its branches",
    },
    customerChild: {
      email: "branch@demo.example.com",
      password,
      account: "Harbour Stores Old Town",
      description: "one branch",
    },
    readonly: {
      email: "readonly@demo.example.com",
      password,
      account: "Harbour Stores Audit",
      description: "can view but not change",
    },
    noLicense: {
      email: "library@demo.example.com",
      password,
      account: "City Library",
      description: "no monitoring license",
    },
  };
