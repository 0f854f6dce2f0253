/** When this page was last reloaded for that reason, in milliseconds since 1970. */
const reloadedAt = 'querydock:reloaded';
const soonestMs = 60_000;

/**
 * After an upgrade, the service's files differ from those that an older page names. The page is then reloaded, which
 * first asks if there are unsaved changes; it is not reloaded repeatedly when a file is missing for another reason.
 */
export function reloadForNewFiles(): void {
  addEventListener('vite:preloadError', () => {
    const before = Number(sessionStorage.getItem(reloadedAt));
    if (Date.now() - before < soonestMs) return;
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
  });
}
