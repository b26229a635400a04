// What is wrong with the calls that the console made of the stubbed network, kept until the end of the test.

const faults: string[] = [];

export function addFault(fault: string): void {
  if (!faults.includes(fault)) faults.push(fault);
}

/** Each fault since the last time. */
export function takeFaults(): string[] {
  return faults.splice(0);
}
