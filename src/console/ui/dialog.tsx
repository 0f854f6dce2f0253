import * as Radix from '@radix-ui/react-dialog';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import { useOpener } from './use-opener.ts';

interface ModalProps extends Radix.DialogContentProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Traps the focus until it is closed; Escape closes it. */
export function Modal({ open, onClose, ...content }: ModalProps) {
  return (
    <Radix.Root open={open} onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content aria-describedby={undefined} {...content} />
      </Radix.Portal>
    </Radix.Root>
  );
}

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}

/** Gives the focus back when it is closed. */
export function Dialog({ open, onClose, title, about, children }: DialogProps) {
  return (
    <Modal {...{ open, onClose }} className="dialog" {...useOpener().handlers}>
      <div className="dialog-head">
        <Radix.Title>{title}</Radix.Title>
        <Radix.Close className="button quiet icon-only" aria-label="Close">
          <Icon name="close" />
        </Radix.Close>
      </div>
      {about !== undefined && <div className="dialog-about">{about}</div>}
      {children}
    </Modal>
  );
}
