import * as Radix from '@radix-ui/react-dropdown-menu';
import { Icon, type IconName } from './icons.tsx';

export interface MenuItem {
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

export function Menu({ label, icon, items }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger className="button plain">
        {icon !== undefined && <Icon name={icon} />}
        {label}
        <Icon name="caret" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={6}>
          {items.map(({ label: name, hint, onSelect }) => (
            <Radix.Item key={name} className="menu-item" onSelect={onSelect}>
              <span>{name}</span>
              {hint !== undefined && <span className="muted">{hint}</span>}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
