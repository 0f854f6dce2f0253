import * as Radix from '@radix-ui/react-dialog';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
  readonly wide?: boolean;
}

/** Traps the focus until it is closed; Escape closes it. */
export function Dialog({ open, onClose, title, about, children, wide = false }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content className={wide ? 'dialog wide' : 'dialog'} aria-describedby={undefined}>
          <div className="dialog-head">
            <Radix.Title>{title}</Radix.Title>
            <Radix.Close className="button quiet icon-only" aria-label="Close">
              <Icon name="close" />
            </Radix.Close>
          </div>
          {about !== undefined && <div className="dialog-about">{about}</div>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
