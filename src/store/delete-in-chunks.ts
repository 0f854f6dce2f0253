/**
 * Deletes little by little, so that no statement holds its rows for long. Answers how many it deleted in all.
 *
 * @param deleteSome deletes at most `chunk` rows and answers how many.
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
