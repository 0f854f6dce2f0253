import { type RefObject, useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/parts.tsx';

interface UnsavedGuardProps {
  readonly isChanged: boolean;
  /** True once it is saved: what is left then is nothing that could be lost. */
  readonly isSaved: RefObject<boolean>;
}

/** Asks before the view or the page is left with changes that are not saved. */
export function UnsavedGuard({ isChanged, isSaved }: UnsavedGuardProps) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isChanged && !isSaved.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isChanged) return undefined;
    // The browser asks in its own words.
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
      about={<p>What you have changed here is not saved, and is lost when you leave.</p>}
    >
      <div className="dialog-buttons">
        <Button onClick={() => blocker.proceed()} look="danger">
          Leave
        </Button>
        <Button look="primary" onClick={() => blocker.reset()}>
          Go on editing
        </Button>
      </div>
    </Dialog>
  );
}
