import { useMutation } from '@tanstack/react-query';
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { signOut } from '../api/provider.ts';
import { useSession } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { ProjectNameDocument } from '../generated/graphql.ts';
import { Icon } from '../ui/icons.tsx';
import { leaveBy } from '../ui/leaving.ts';
import { Button, ErrorNote, Loading } from '../ui/parts.tsx';
import { focusMain } from '../ui/use-opener.ts';
import { Brand } from './brand.tsx';
import { Palette } from './palette.tsx';
import { usePlaces } from './places.ts';
import { useTheme } from './theme.ts';
import { useProject, viewPath } from './use-project.ts';

export function Shell() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const { pathname } = useLocation();
  const closeMenu = () => setMenuOpen(false);
  // Navigation closes the menu.
  useEffect(closeMenu, [pathname]);
  useEffect(() => {
    if (!isMenuOpen) return undefined;
    return () => {
      if (document.activeElement !== menuButton.current) focusMain();
    };
  }, [isMenuOpen]);
  useKeys((event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setPaletteOpen(!isPaletteOpen);
    }
    // Escape in the palette closes that.
    if (event.key !== 'Escape' || event.defaultPrevented || !isMenuOpen) return;
    menuButton.current?.focus();
    closeMenu();
  });
  return (
    <div className="shell" data-menu={isMenuOpen ? 'open' : 'closed'}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="topbar">
        <Link to="/" className="plain-link">
          <Brand />
        </Link>
        <Button
          ref={menuButton}
          look="quiet"
          className="icon-only"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          aria-controls="sidebar"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? 'close' : 'menu'} />
        </Button>
      </header>
      <div className="sidebar" id="sidebar">
        <Link to="/" className="plain-link wide-only">
          <Brand />
        </Link>
        <ProjectChoice />
        <button type="button" className="find" onClick={() => setPaletteOpen(true)}>
          <Icon name="search" />
          <span>Go to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <Places onGo={closeMenu} />
        <Account />
      </div>
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<Loading lines={8} />}>
          <Outlet />
        </Suspense>
      </main>
      <Palette open={isPaletteOpen} onClose={() => setPaletteOpen(false)} onGo={closeMenu} />
    </div>
  );
}

function useKeys(listen: (event: KeyboardEvent) => void): void {
  // Before the page is painted, so that no key of somebody who sees it is lost.
  useLayoutEffect(() => {
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}

function ProjectChoice() {
  const { projects } = useSession();
  const project = useProject();
  const navigate = useNavigate();
  // A load-only key cannot list its projects.
  if (project === '@current' && projects.length === 0) return null;
  const known = projects.some(({ id }) => id === project);
  const [only] = projects;
  if (!known) return <UnlistedProject id={project} />;
  if (projects.length === 1 && only !== undefined) return <ProjectName name={only.name} />;
  return (
    <label className="field project-choice">
      <span className="small">Project</span>
      <select
        value={project}
        onChange={({ target }) => navigate(viewPath(target.value, 'endpoints'))}
      >
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** An administrator's key may see every project without listing any. */
function UnlistedProject({ id }: { id: string }) {
  const { data } = useApi(ProjectNameDocument, { projectId: id });
  return (
    <>
      <ProjectName name={data?.project?.name ?? id} />
      <Link to="/" className="small other-project">
        Open another project
      </Link>
    </>
  );
}

function ProjectName({ name }: { name: string }) {
  return (
    <p className="project-name">
      <span className="small muted">Project</span>
      <bdi>{name}</bdi>
    </p>
  );
}

function Places({ onGo }: { onGo: () => void }) {
  const project = useProject();
  return (
    <nav aria-label="Project">
      <ul className="places">
        {usePlaces().map(({ view, label, icon }) => (
          <li key={view}>
            <NavLink to={viewPath(project, view)} onClick={onGo}>
              <Icon name={icon} />
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Account() {
  const { label, owner } = useSession();
  const { isDark, toggle } = useTheme();
  const leaving = useMutation({ mutationFn: signOut, networkMode: 'always' });
  return (
    <div className="account">
      <ul className="places small">
        <li>
          <a href="/graphql">
            <Icon name="link" />
            GraphiQL
          </a>
        </li>
        <li>
          <a href="/api/docs">
            <Icon name="link" />
            REST docs
          </a>
        </li>
      </ul>
      {leaving.error !== null && <ErrorNote error={leaving.error} />}
      <div className="who">
        <p>
          <bdi>{owner.firstName === '' ? owner.email : owner.firstName}</bdi>
          <span className="muted small">
            Key <bdi>{label}</bdi>
          </span>
        </p>
        <Button
          look="quiet"
          className="icon-only"
          aria-label={isDark ? 'Use light mode' : 'Use dark mode'}
          title={isDark ? 'Use light mode' : 'Use dark mode'}
          onClick={toggle}
        >
          <Icon name={isDark ? 'sun' : 'moon'} />
        </Button>
        <Button
          look="quiet"
          className="icon-only"
          aria-label="Sign out"
          title="Sign out"
          busy={leaving.isPending}
          onClick={() => leaveBy(leaving.mutate)}
        >
          <Icon name="out" />
        </Button>
      </div>
    </div>
  );
}
