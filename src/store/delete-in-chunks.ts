/**
 * Deletes in small steps, so that no statement locks its rows for long. Returns the total.
 *
 * @param deleteSome deletes at most `chunk` rows and returns how many.
 */
export async function deleteInChunks(
  chunk: number,
  deleteSome: () => Promise<number>,
): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteSome();
    total += deleted;
    if (deleted < chunk) return total;
  }
}
