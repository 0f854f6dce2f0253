import { type KeyboardEvent, type ToggleEvent, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Icon, type IconName } from './icons.tsx';

interface MenuItem {
  readonly label: string;
  /** Secondary text. */
  readonly hint?: string;
  readonly onSelect: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[];
}

/** The browser's popover closes by Escape and by a click elsewhere, and returns the focus. */
export function Menu({ label, icon, items }: MenuProps) {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const choose = (onSelect: () => void) => {
    menu.current?.hidePopover();
    onSelect();
  };
  const prepare = ({ newState }: ToggleEvent<HTMLDivElement>) => {
    if (newState !== 'open' || menu.current === null || trigger.current === null) return;
    flushSync(() => setOpen(true));
    placeBeside(menu.current, trigger.current);
  };
  const settle = ({ newState }: ToggleEvent<HTMLDivElement>) => {
    if (newState === 'open') itemsOf(menu.current)[0]?.focus();
    // Not before, because the browser gives the focus back only from an item that is still there.
    else setOpen(false);
  };
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className="button plain"
        popoverTarget={id}
        aria-haspopup="menu"
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          menu.current?.showPopover();
        }}
      >
        {icon !== undefined && <Icon name={icon} />}
        {label}
        <Icon name="caret" />
      </button>
      <div
        ref={menu}
        id={id}
        className="menu"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        popover="auto"
        onBeforeToggle={prepare}
        onToggle={settle}
        onKeyDown={moveFocus}
      >
        {isOpen &&
          items.map(({ label: name, hint, onSelect }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className="menu-item"
              onClick={() => choose(onSelect)}
            >
              <span>{name}</span>
              {hint !== undefined && <span className="muted">{hint}</span>}
            </button>
          ))}
      </div>
    </>
  );
}

function itemsOf(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
}

/** Distance to the trigger, in pixels. */
const gap = 6;
/** With less room below it, in pixels, a menu opens above its trigger. */
const usualHeight = 260;

/** Flush with the right edge of the trigger. */
function placeBeside({ style }: HTMLElement, trigger: HTMLElement): void {
  const { top, bottom, right } = trigger.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const isAbove = clientHeight - bottom < usualHeight && top > clientHeight - bottom;
  style.top = isAbove ? 'auto' : `${bottom + gap}px`;
  style.bottom = isAbove ? `${clientHeight - top + gap}px` : 'auto';
  style.right = `${Math.max(0, clientWidth - right)}px`;
}

/** As the ARIA practices for menus have it: arrows go around, a letter goes to the next item that begins with it. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const { key, currentTarget: menu } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = nextItem(items, at, key);
  if (key === 'Tab') menu.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function nextItem(items: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  switch (key) {
    case 'ArrowDown':
      return items[(at + 1) % items.length];
    case 'ArrowUp':
      return items.at(at <= 0 ? -1 : at - 1);
    case 'Home':
      return items[0];
    case 'End':
      return items.at(-1);
    default: {
      if (key.length !== 1 || key === ' ') return undefined;
      const around = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      return around.find(({ textContent }) =>
        textContent.toLowerCase().startsWith(key.toLowerCase()),
      );
    }
  }
}
