import { useRef } from 'react';

export function focusMain(): void {
  document.getElementById('main')?.focus();
}

/** Gives the focus back to what had it before a dialog was opened; to the main content if that is gone or hidden. */
export function useOpener() {
  const opener = useRef<HTMLElement>(null);
  const onOpenAutoFocus = () => {
    opener.current = document.activeElement as HTMLElement;
  };
  const onCloseAutoFocus = (event: Event) => {
    event.preventDefault();
    opener.current?.focus();
    if (document.activeElement === document.body) focusMain();
  };
  return { opener, handlers: { onOpenAutoFocus, onCloseAutoFocus } };
}
