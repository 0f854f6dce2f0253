import { useState } from 'react';

const storedAt = 'querydock:theme';

/** Light or dark as chosen here; by default as the system. */
export function useTheme(): { readonly isDark: boolean; readonly toggle: () => void } {
  const [isDark, setDark] = useState(() => {
    const chosen = document.documentElement.dataset.theme;
    if (chosen !== undefined) return chosen === 'dark';
    return matchMedia('(prefers-color-scheme: dark)').matches;
  });
  const toggle = () => {
    const theme = isDark ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(storedAt, theme);
    setDark(!isDark);
  };
  return { isDark, toggle };
}
