/** Functions that look a value up where it is not of the rows that a query reads, such as in a dictionary. */
const LOOKUP = /^(?:dict|joinGet)/i;

export function isLookup(name: string): boolean {
  return LOOKUP.test(name);
}
