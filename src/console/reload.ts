/** When this page was last loaded anew because of that, in milliseconds since 1970. */
const reloadedAt = 'querydock:reloaded';
const soonestMs = 60_000;

/**
 * A service that was upgraded has other files than those that a page of before names. The page is then loaded anew, which asks first where
 * something is not saved; not again and again where a file is missing for another reason.
 */
export function reloadForNewFiles(): void {
  addEventListener('vite:preloadError', () => {
    const before = Number(sessionStorage.getItem(reloadedAt));
    if (Date.now() - before < soonestMs) return;
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
  });
}
