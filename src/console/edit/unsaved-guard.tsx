import { type RefObject, useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/parts.tsx';

interface UnsavedGuardProps {
  readonly isChanged: boolean;
  /** True once it is saved, because leaving then loses nothing. */
  readonly isSaved: RefObject<boolean>;
}

/** Asks for confirmation before leaving the view or the page with unsaved changes. */
export function UnsavedGuard({ isChanged, isSaved }: UnsavedGuardProps) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isChanged && !isSaved.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isChanged) return undefined;
    // The browser uses its own message.
    const hold = (event: BeforeUnloadEvent) => {
      if (!isSaved.current) event.preventDefault();
    };
    addEventListener('beforeunload', hold);
    return () => removeEventListener('beforeunload', hold);
  }, [isChanged, isSaved]);
  if (blocker.state !== 'blocked') return null;
  return (
    <Dialog
      open
      onClose={() => blocker.reset()}
      title="Leave without saving?"
      about={<p>Your changes are not saved and will be lost.</p>}
    >
      <div className="dialog-buttons">
        <Button onClick={() => blocker.proceed()} look="danger">
          Leave
        </Button>
        <Button look="primary" onClick={() => blocker.reset()}>
          Keep editing
        </Button>
      </div>
    </Dialog>
  );
}
