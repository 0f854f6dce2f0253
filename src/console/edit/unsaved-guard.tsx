import { type RefObject, useEffect, useState } from 'react';
import { useBlocker } from 'react-router';
import { Dialog } from '../ui/dialog.tsx';
import { askBeforeLeaving } from '../ui/leaving.ts';
import { Button } from '../ui/parts.tsx';

interface UnsavedGuardProps {
  readonly isChanged: boolean;
  /** True once it is saved, because leaving then loses nothing. */
  readonly isSaved: RefObject<boolean>;
}

/** Asks for confirmation before leaving the view or the page, or signing out, with unsaved changes. */
export function UnsavedGuard({ isChanged, isSaved }: UnsavedGuardProps) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isChanged && !isSaved.current && currentLocation.pathname !== nextLocation.pathname,
  );
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => {
    if (!isChanged) return undefined;
    askBeforeLeaving((next) => setLeave(() => next));
    // The browser uses its own message.
    const hold = (event: BeforeUnloadEvent) => {
      if (!isSaved.current) event.preventDefault();
    };
    addEventListener('beforeunload', hold);
    return () => {
      removeEventListener('beforeunload', hold);
      askBeforeLeaving(null);
    };
  }, [isChanged, isSaved]);
  if (blocker.state !== 'blocked' && leave === null) return null;
  const stay = () => {
    setLeave(null);
    blocker.reset?.();
  };
  return (
    <Dialog
      open
      onClose={stay}
      title="Leave without saving?"
      about={<p>Your changes are not saved and will be lost.</p>}
    >
      <div className="dialog-buttons">
        <Button
          onClick={() => {
            setLeave(null);
            leave?.();
            blocker.proceed?.();
          }}
          look="danger"
        >
          Leave
        </Button>
        <Button look="primary" onClick={stay}>
          Keep editing
        </Button>
      </div>
    </Dialog>
  );
}
