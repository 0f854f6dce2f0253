import { useEffect } from 'react';

/** The title of the tab while the view is shown. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Querydock'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
